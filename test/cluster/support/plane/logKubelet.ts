import { readFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import { type Cleanup, cleanUp } from '../cleanup.ts';
import type { TestNamespace } from '../namespace.ts';
import type { Pod } from '../objects.ts';
import { freePorts } from './ports.ts';

/** A node of which only the logs are served, as the API server requests them from a kubelet. */
export interface LogKubelet {
  /** The paths with queries, such as `/containerLogs/shop/web-0/main?tailLines=20`. */
  readonly requests: readonly string[];
  /** Binds the pod to the node. */
  bind(pod: Pod): Promise<void>;
}

/** Responds to the request of this path with the log, now or later or never. */
type ServeLog = (path: string, respond: (log: string) => void) => void;

/** Starts the node. */
export async function startLogKubelet(t: Cleanup, ns: TestNamespace, serve: ServeLog): Promise<LogKubelet> {
  const { cluster } = ns;
  const [port = 0] = await freePorts(1);
  const requests: string[] = [];
  const certificate = (suffix: string) => readFileSync(join(cluster.dir, `apiserver.${suffix}`));
  const server = createServer({ cert: certificate('crt'), key: certificate('key') }, ({ url = '' }, response) => {
    requests.push(url);
    serve(url, (log) => response.writeHead(200, { 'content-type': 'text/plain' }).end(log));
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  cleanUp(t, () => {
    server.close();
    server.closeAllConnections();
  });
  const name = `node-of-${ns.name}`;
  const status = {
    addresses: [{ type: 'InternalIP', address: '127.0.0.1' }],
    daemonEndpoints: { kubeletEndpoint: { Port: port } },
  };
  await cluster.api('POST', '/api/v1/nodes', { metadata: { name }, status });
  cleanUp(t, () => cluster.send('DELETE', `/api/v1/nodes/${name}`));
  return {
    requests,
    async bind({ metadata }) {
      const path = ns.path('api/v1', 'pods', `${metadata.name}/binding`);
      await cluster.api('POST', path, { metadata: { name: metadata.name }, target: { kind: 'Node', name } });
    },
  };
}
