import type { RestartEffects } from '../effects/restartEffects.ts';
import type { WorkloadEntry } from '../effects/workloadEntry.ts';
import type { Refusal } from '../model/answer.ts';
import { lookEvery } from '../pods/rolloutWatch.ts';

/**
 * Tells of what is refused at one manage the other, such as an eviction: once for each class, and anew when it has
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
