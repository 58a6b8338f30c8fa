import type { JsonObject } from '../../base/json.ts';
import { type ApplyFailure, done, type Outcome } from '../model/applyFailure.ts';
import { canBeRecreated } from '../model/immutable.ts';
import { isProvenApplied } from '../ownership/ownership.ts';
import type { Applied, ResourcePlan } from '../plan/resourceApi.ts';
import { createResource } from './createResource.ts';
import type { ObserverApi } from './observerApi.ts';
import { retryOnLive } from './retryOnConflict.ts';

/**
 * Deletes and recreates the object if an immutable field has to change, the application allows it, and the object is
 * proven to be applied by it. While the old object is terminating the failure is `terminating`, and the next check
 * creates it.
 */
export async function orRecreate(
  api: ObserverApi,
  plan: ResourcePlan,
  seen: JsonObject,
  failure: ApplyFailure,
  signal: AbortSignal,
): Promise<Outcome<Applied>> {
  const mayBe = failure.is === 'immutable' && plan.mayRecreate && canBeRecreated(plan.target.identity);
  if (!mayBe) return { ok: false, failure };
  const remove = async (live: JsonObject): Promise<Outcome<undefined>> => {
    if (!isProvenApplied(live, plan.owner, plan.appliedUid)) {
      const reason = `${failure.reason} It is not recreated: ${plan.owner.name} has not applied this object.`;
      return { ok: false, failure: { ...failure, reason } };
    }
    const removed = await api.remove(plan.target, live, signal);
    return removed.ok || removed.failure.is === 'missing' ? done(undefined) : removed;
  };
  const { outcome } = await retryOnLive(api, plan, seen, remove, signal);
  return outcome.ok ? createResource(api, plan, signal) : outcome;
}
