import type { Clock } from '@weeder/kube-runtime/base';
import { objectOf } from '@weeder/kube-runtime/base';
import { conditionOf } from './statusPatch.ts';

/**
 * How long a new generation settles. What it needs, such as its ServiceAccount and the permissions of that, may be
 * applied together with it, a moment later. Milliseconds.
 */
const settlingTime = 30_000;

/**
 * Returns until when a generation settles that is validated now, by the monotonic clock. If the status shows that
 * another process has begun with it, its time continues.
 */
export function settledAt(status: unknown, generation: number, clock: Pick<Clock, 'now' | 'monotonic'>): number {
  const { observedGeneration, conditions } = objectOf(status);
  if (observedGeneration !== generation) return clock.monotonic() + settlingTime;
  const since = Date.parse(conditionOf(conditions, 'Reconciling')?.lastTransitionTime ?? '');
  const left = since + settlingTime - clock.now();
  return clock.monotonic() + (left > 0 ? Math.min(left, settlingTime) : 0);
}
