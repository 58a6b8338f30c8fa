import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Clock, systemClock } from '../src/base/clock.ts';
import { createKubeClient, type RequestOutcome } from '../src/client/client.ts';
import type { Protocol } from './faultyServer.ts';
import { misbehavingServer } from './misbehavingServer.ts';
import { accessTo } from './reflecting.ts';

/** A client and the server it talks to. */
export type Calling = Awaited<ReturnType<typeof calling>>;

export async function calling(
  protocol: Protocol,
  {
    clock = systemClock,
    user = (_folder: string): Readonly<Record<string, unknown>> => ({ token: 'secret' }),
    path = '',
  }: {
    readonly clock?: Clock;
    readonly user?: (folder: string) => Readonly<Record<string, unknown>>;
    readonly path?: string;
  } = {},
) {
  const folder = mkdtempSync(join(tmpdir(), 'weeder-client-'));
  const server = await misbehavingServer(protocol);
  const events: RequestOutcome[] = [];
  const access = accessTo(server.url + path, user(folder));
  const client = createKubeClient({
    userAgent: 'weeder/test',
    access,
    clock,
    onRequest: (event) => events.push(event),
  });
  return {
    server,
    client,
    events,
    /** A folder of its own. */
    folder,
    async [Symbol.asyncDispose]() {
      await client.close();
      await server.close();
      rmSync(folder, { recursive: true });
    },
  };
}

/** A request that the server answers with a list. */
export const get = { method: 'GET', path: '/api/v1/pods' } as const;
