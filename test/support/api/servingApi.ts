import { type ApiServerOptions, createApiServer } from '../../../packages/embedded-cluster/src/apiserver/apiServer.ts';
import { type HttpClient, httpClient } from '../../cluster/support/plane/http.ts';

/** A server of the test's own, and a client for it. */
export async function serving(options: ApiServerOptions = {}) {
  const server = createApiServer(options);
  const listening = await server.listen();
  const client = httpClient(listening.url);
  return {
    server,
    store: server.store,
    url: listening.url,
    client,
    async [Symbol.asyncDispose]() {
      await client.close();
      await listening.close();
    },
  };
}

export const leasePath = '/apis/coordination.k8s.io/v1/namespaces/default/leases';

export function lease(name: string, more: object = {}) {
  return { metadata: { name, namespace: 'default', ...more } };
}

export async function linesOf(client: HttpClient, path: string): Promise<string[]> {
  const { lines } = await client.lines(path);
  return Array.fromAsync(lines);
}
