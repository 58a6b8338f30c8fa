import type { JsonObject } from '@weeder/kube-runtime/base';
import { type ApplyFailure, failed, type Outcome } from '../objects/applyFailure.ts';
import { isTerminating, uidOf } from '../ownership/ownership.ts';
import type { ResourcePlan } from '../plan/resourceApi.ts';
import type { ObserverApi } from './observerApi.ts';

/** Other clients write to the same object continually, for example a controller to its status. */
const maxAttempts = 5;

/** Repeats `attempt` while it fails with a conflict, up to `maxAttempts` times. */
export async function retryOnConflict<T>(
  attempt: () => Promise<Outcome<T>>,
  isConflict: (failure: ApplyFailure) => boolean = ({ type }) => type === 'conflict',
): Promise<Outcome<T>> {
  for (let attempts = 1; ; attempts += 1) {
    const outcome = await attempt();
    if (outcome.ok || !isConflict(outcome.failure) || attempts === maxAttempts) return outcome;
  }
}

/**
 * Repeats `attempt` in the same way with the live object, which is read again after each conflict. The first attempt
 * uses `seen`. Stops if another object has this name now, or if the object is being deleted. Also returns the object of
 * the last attempt.
 */
export async function retryOnLive<T>(
  api: ObserverApi,
  { target }: Pick<ResourcePlan, 'target'>,
  seen: JsonObject,
  attempt: (live: JsonObject) => Promise<Outcome<T>>,
  signal: AbortSignal,
): Promise<{ readonly outcome: Outcome<T>; readonly live: JsonObject }> {
  let live = seen;
  let isFirst = true;
  const outcome = await retryOnConflict(async () => {
    const read = isFirst ? undefined : await api.read(target, signal);
    isFirst = false;
    if (read?.ok === false) return read;
    if (read !== undefined) {
      if (uidOf(read.value) !== uidOf(live)) return failed('otherUid', 'Another object has this name now.');
      if (isTerminating(read.value)) return failed('terminating', 'The object is being deleted.');
      live = read.value;
    }
    return attempt(live);
  });
  return { outcome, live };
}
