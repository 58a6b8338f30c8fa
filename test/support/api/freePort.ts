import { once } from 'node:events';
import { createServer } from 'node:http';
import { listen } from '@weeder/kube-runtime/testing';

/** Returns a port that was free a moment ago. */
export async function freePort(): Promise<number> {
  const server = createServer();
  const port = await listen(server);
  server.close();
  await once(server, 'close');
  return port;
}
