import { createServer } from 'node:http';
import type { TestContext } from 'node:test';
import { listen } from '@weeder/kube-runtime/testing';

/** An API server that answers each request with 403. Returns its URL. */
export async function forbidding(t: TestContext): Promise<string> {
  const message =
    'endpointslices.discovery.k8s.io is forbidden: User "me" cannot list resource "endpointslices" in API group "discovery.k8s.io" at the cluster scope';
  const server = createServer((_request, response) => {
    response.writeHead(403, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ kind: 'Status', status: 'Failure', code: 403, reason: 'Forbidden', message }));
  });
  t.after(() => server.close());
  t.after(() => server.closeAllConnections());
  return `http://127.0.0.1:${await listen(server)}`;
}
