import { objectOf, textOf } from '@weeder/kube-runtime/base';
import type { KubeClient } from '@weeder/kube-runtime/client';

/** The version of the API server: `v1.36.3`. Kubernetes lets every client read it. Undefined: it cannot be read. */
export async function serverVersion(client: Pick<KubeClient, 'call'>): Promise<string | undefined> {
  const response = await client.call({ method: 'GET', path: '/version', rank: 'last' });
  return response.ok ? textOf(objectOf(response.body)['gitVersion']) : undefined;
}
