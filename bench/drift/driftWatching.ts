import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { z } from 'zod';
import { type Cluster, coordinatesVariable, writeCoordinates } from '../../test/cluster/support/plane/access.ts';

/** The interface to the watching process (driftWatcher.ts). */
export interface DriftWatching {
  /** Waits until these resources are corrected, and returns the times. Milliseconds of the monotonic clock. */
  untilCorrected(keys: readonly string[], withinMs: number): Promise<ReadonlyMap<string, number>>;
  stop(): void;
}

const Corrected = z.object({ corrected: z.array(z.tuple([z.string(), z.number()])) });

/** Starts watching all resources of the benchmark. The process ends with this one at the latest. */
export async function startDriftWatching(cluster: Cluster): Promise<DriftWatching> {
  const env = { ...process.env, [coordinatesVariable]: writeCoordinates(cluster) };
  const child = fork(join(import.meta.dirname, 'driftWatcher.ts'), { env });
  const ended = once(child, 'exit').then(() => {
    throw new Error('the watcher ended; its output is above');
  });
  ended.catch(() => {});
  await Promise.race([once(child, 'message'), ended]);
  return {
    async untilCorrected(keys, withinMs) {
      const response = once(child, 'message');
      child.send({ expect: keys, withinMs });
      const [message] = await Promise.race([response, ended]);
      return new Map(Corrected.parse(message).corrected);
    },
    stop: () => child.disconnect(),
  };
}
