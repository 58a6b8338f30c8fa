import { workloadsPath } from '../kube/workloadKinds.ts';
import type { SourceRef, WorkloadRef } from './refs.ts';

/** Where the API serves one workload. */
export function workloadPath({ kind, namespace, name }: WorkloadRef): string {
  return `${workloadsPath(kind, namespace)}/${encodeURIComponent(name)}`;
}

/** Where the API serves the ConfigMaps or Secrets of a namespace. */
export function sourcesPath({ kind, namespace }: Pick<SourceRef, 'kind' | 'namespace'>): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/${kind === 'Secret' ? 'secrets' : 'configmaps'}`;
}

/** Where the API serves one ConfigMap or Secret. */
export function sourcePath(source: SourceRef): string {
  return `${sourcesPath(source)}/${encodeURIComponent(source.name)}`;
}

/** Where the API serves the pods of a namespace. */
export function podsPath(namespace: string): string {
  return `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods`;
}
