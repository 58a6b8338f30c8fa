import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { z } from 'zod';
import { type Cluster, coordinatesVariable, writeCoordinates } from '../../test/cluster/support/plane/access.ts';

/** The interface to the process that observes deletions (observer.ts). */
export interface Observing {
  /** Waits until these pods are deleted, and returns the times. Milliseconds of the monotonic clock. */
  untilDeleted(uids: readonly string[], withinMs: number): Promise<ReadonlyMap<string, number>>;
  stop(): void;
}

const Deleted = z.object({ deleted: z.array(z.tuple([z.string(), z.number()])) });

/** Starts observing all pods with these labels. The process ends with this one at the latest. */
export async function startObserving(cluster: Cluster, selector: string): Promise<Observing> {
  const env = { ...process.env, [coordinatesVariable]: writeCoordinates(cluster) };
  const child = fork(join(import.meta.dirname, 'observer.ts'), [selector], { env });
  const ended = once(child, 'exit').then(() => {
    throw new Error('the observer ended; its output is above');
  });
  ended.catch(() => {});
  await Promise.race([once(child, 'message'), ended]);
  return {
    async untilDeleted(uids, withinMs) {
      const response = once(child, 'message');
      child.send({ expect: uids, withinMs });
      const [message] = await Promise.race([response, ended]);
      return new Map(Deleted.parse(message).deleted);
    },
    stop: () => child.disconnect(),
  };
}
