import { type Cleanup, cleanUp } from '../cleanup.ts';
import type { Cluster } from './access.ts';

/** Creates a node, which is only an object. After 40 seconds, the pods of one that does not exist are deleted. */
export async function ensureNode(cluster: Pick<Cluster, 'send'>, name: string): Promise<void> {
  const answer = await cluster.send('POST', '/api/v1/nodes', { body: { metadata: { name } } });
  if (answer.status !== 201 && answer.status !== 409) throw new Error(`no node: ${JSON.stringify(answer.body)}`);
}

/** Creates a node whose kubelet listens at this port, and deletes it when the test ends. */
export async function createNode(t: Cleanup, cluster: Cluster, name: string, port: number): Promise<void> {
  const addresses = [{ type: 'InternalIP', address: '127.0.0.1' }];
  const status = { addresses, daemonEndpoints: { kubeletEndpoint: { Port: port } } };
  await cluster.api('POST', '/api/v1/nodes', { metadata: { name }, status });
  cleanUp(t, () => cluster.send('DELETE', `/api/v1/nodes/${name}`));
}
