import type { Cluster } from './access.ts';

/** Creates a node, which is only an object. After 40 seconds, the pods of one that does not exist are deleted. */
export async function ensureNode(cluster: Pick<Cluster, 'send'>, name: string): Promise<void> {
  const answer = await cluster.send('POST', '/api/v1/nodes', { body: { metadata: { name } } });
  if (answer.status !== 201 && answer.status !== 409) throw new Error(`no node: ${JSON.stringify(answer.body)}`);
}
