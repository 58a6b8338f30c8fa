import { apiPath } from '@weeder/kube-runtime/objects';

/** Where the API serves one pod, or a subresource of it. */
export function podPath(namespace: string, name: string, subresource?: string): string {
  return apiPath('v1', 'pods', { namespace, name, subresource });
}
