import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Free loopback ports below the range that the system uses for outgoing connections: a port out of that range could
 * be taken by a client between the end of a server and its restart, even by the client that waits for that server.
 * Each is reserved for this process until it ends, so that control planes that start at the same time do not collide.
 */
export async function freePorts(count: number): Promise<number[]> {
  const found = new Set<number>();
  while (found.size < count) {
    const port = 20_000 + Math.floor(Math.random() * 12_000);
    if (!found.has(port) && (await isFree(port)) && claim(port)) found.add(port);
  }
  return [...found];
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

/** False if a running process has claimed it. */
function claim(port: number): boolean {
  mkdirSync(claims, { recursive: true });
  const path = join(claims, String(port));
  if (isClaimed(path)) return false;
  try {
    writeFileSync(path, String(process.pid), { flag: 'wx' });
  } catch {
    // Another process was quicker.
    return false;
  }
  if (claimed.size === 0) process.once('exit', () => [...claimed].map((each) => rmSync(each, { force: true })));
  claimed.add(path);
  return true;
}

/** Whether the claim's process runs. Removes the claim of a process that has ended. */
function isClaimed(path: string): boolean {
  try {
    process.kill(Number(readFileSync(path, 'utf8')), 0);
    return true;
  } catch {
    rmSync(path, { force: true });
    return false;
  }
}
