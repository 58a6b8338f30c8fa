import type { Refusal } from './answer.ts';
import type { RestartEffects } from './restartEffects.ts';
import { lookEvery } from './rolloutWatch.ts';
import type { WorkloadEntry } from './workloadEntry.ts';

/**
 * Tells of what is refused at one look after the other, such as an eviction: once for each class, and anew when it has
 * gone well in between (undefined).
 */
export function createRefusalTeller() {
  const newest = new WeakMap<WorkloadEntry, Refusal['failure']>();
  return ({ report }: Pick<RestartEffects, 'report'>, entry: WorkloadEntry, refusal: Refusal | undefined): void => {
    const before = newest.get(entry);
    if (refusal === undefined) {
      newest.delete(entry);
      return;
    }
    const { reason, failure, retryAfter } = refusal;
    newest.set(entry, failure);
    if (failure === before) return;
    const { ref: workload, uid } = entry.facts;
    const retryIn = Math.max(lookEvery, retryAfter);
    report({ type: 'workload.refused', workload, uid, reason, failure, attempt: 1, retryIn });
  };
}
