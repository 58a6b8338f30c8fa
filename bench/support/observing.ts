import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { z } from 'zod';
import { type Cluster, coordinatesVariable, writeCoordinates } from '../../test/cluster/support/plane/access.ts';

/** The process that observes deletions (observer.ts), as the one that started it sees it. */
export interface Observing {
  /** Waits until these pods are gone; returns when each was, in milliseconds of the monotonic clock. */
  untilGone(uids: readonly string[], withinMs: number): Promise<ReadonlyMap<string, number>>;
  stop(): void;
}

const Gone = z.object({ gone: z.array(z.tuple([z.string(), z.number()])) });

/** Starts observing all pods with these labels; it ends with this process at the latest. */
export async function startObserving(cluster: Cluster, selector: string): Promise<Observing> {
  const env = { ...process.env, [coordinatesVariable]: writeCoordinates(cluster) };
  const child = fork(join(import.meta.dirname, 'observer.ts'), [selector], { env });
  const ended = once(child, 'exit').then(() => {
    throw new Error('the observer ended; what it said is above');
  });
  ended.catch(() => {});
  await Promise.race([once(child, 'message'), ended]);
  return {
    async untilGone(uids, withinMs) {
      const answer = once(child, 'message');
      child.send({ expect: uids, withinMs });
      const [message] = await Promise.race([answer, ended]);
      return new Map(Gone.parse(message).gone);
    },
    stop: () => child.disconnect(),
  };
}
