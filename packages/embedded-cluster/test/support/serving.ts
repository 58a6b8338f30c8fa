import { type ApiServerOptions, createApiServer } from '../../src/apiserver/apiServer.ts';
import { type Client, createClient } from '../../src/client.ts';

/** Starts an API server for one test, with a client. */
export async function serving(options: ApiServerOptions = {}) {
  const server = createApiServer(options);
  const listening = await server.listen();
  const client = createClient(listening.url);
  return {
    server,
    store: server.store,
    url: listening.url,
    client,
    async [Symbol.asyncDispose]() {
      await listening.close();
    },
  };
}

export const leasePath = '/apis/coordination.k8s.io/v1/namespaces/default/leases';

export function lease(name: string, more: object = {}) {
  return { metadata: { name, namespace: 'default', ...more } };
}

export async function linesOf(client: Client, path: string): Promise<string[]> {
  const { lines } = await client.lines(path);
  return Array.fromAsync(lines);
}
