import type { Cleanup } from '../cleanup.ts';
import type { TestNamespace } from '../namespace.ts';
import type { Pod } from '../objects.ts';
import { createNode } from './node.ts';
import { startHttpsServer } from './ports.ts';

/** Responds to the request of this path with the log, now or later or never. */
type ServeLog = (path: string, respond: (log: string) => void) => void;

/** Starts the node. */
export async function startLogKubelet(t: Cleanup, ns: TestNamespace, serve: ServeLog) {
  const { cluster } = ns;
  const requests: string[] = [];
  const { port } = await startHttpsServer(t, cluster, ({ url = '' }, response) => {
    requests.push(url);
    serve(url, (log) => response.writeHead(200, { 'content-type': 'text/plain' }).end(log));
  });
  const name = `node-of-${ns.name}`;
  await createNode(t, cluster, name, port);
  return {
    /** The paths with queries, such as `/containerLogs/shop/web-0/main?tailLines=20`. */
    requests,
    /** Binds the pod to the node. */
    async bind({ metadata }: Pod) {
      const path = ns.path('api/v1', 'pods', `${metadata.name}/binding`);
      await cluster.api('POST', path, { metadata: { name: metadata.name }, target: { kind: 'Node', name } });
    },
  };
}
