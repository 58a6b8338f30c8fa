import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import type { RequestListener } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Cleanup, cleanUp } from '../cleanup.ts';
import type { Cluster } from './access.ts';

/**
 * Returns free loopback ports below the range for outgoing connections: a client could take a port of that range
 * between the end of a server and its restart. Each port is reserved for this process until it ends, so that control
 * planes that start at the same time do not use the same one.
 */
export async function freePorts(count: number): Promise<number[]> {
  const ports = new Set<number>();
  while (ports.size < count) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if (!ports.has(port) && (await isFree(port)) && claim(port)) ports.add(port);
  }
  return [...ports];
}

/** Starts a server with the certificate of the API server, on loopback. It ends with the test. */
export async function startHttpsServer(t: Cleanup, { dir }: Cluster, onRequest?: RequestListener) {
  const [port = 0] = await freePorts(1);
  const [cert, key] = ['crt', 'key'].map((suffix) => readFileSync(join(dir, `apiserver.${suffix}`)));
  // The API server closes idle connections after the same time.
  const server = createHttpsServer({ cert, key, keepAliveTimeout: 90_000 }, onRequest);
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  cleanUp(t, () => {
    server.close();
    server.closeAllConnections();
  });
  return { server, port };
}

function isFree(port: number): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const server = createServer();
  server.once('error', () => resolve(false));
  server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  return promise;
}

const claims = join(tmpdir(), 'weeder-ports');
const claimed = new Set<string>();

/** Claims a port. Returns false if another running process has claimed it. */
function claim(port: number): boolean {
  mkdirSync(claims, { recursive: true });
  const path = join(claims, String(port));
  if (!take(path)) return false;
  if (claimed.size === 0) process.once('exit', () => [...claimed].map((each) => rmSync(each, { force: true })));
  claimed.add(path);
  return true;
}

/** Only one process can create a file. If that process has ended, another call of this function can create it. */
export function take(path: string): boolean {
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
    return true;
  } catch {
    try {
      process.kill(Number(readFileSync(path, 'utf8')), 0);
    } catch {
      rmSync(path, { force: true });
    }
    return false;
  }
}
