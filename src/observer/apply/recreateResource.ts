import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { type ApplyFailure, done, type Outcome } from '../objects/applyFailure.ts';
import { canBeRecreated } from '../objects/immutable.ts';
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
  const mayBe = failure.type === 'immutable' && plan.mayRecreate && canBeRecreated(plan.target.identity);
  if (!mayBe) return { ok: false, failure };
  const remove = async (live: JsonObject): Promise<Outcome<undefined>> => {
    if (!isProvenApplied(live, plan.owner, plan.appliedUid)) {
      const reason = `${failure.reason} It is not recreated: ${plan.owner.name} has not applied this object.`;
      return { ok: false, failure: { ...failure, reason } };
    }
    const removed = await api.remove(plan.target, live, signal, adoptsPods(plan, live) ? 'Orphan' : 'Background');
    return removed.ok || removed.failure.type === 'missing' ? done(undefined) : removed;
  };
  const { outcome } = await retryOnLive(api, plan, seen, remove, signal);
  return outcome.ok ? createResource(api, plan, signal) : outcome;
}

/**
 * Returns true if the new object adopts the Pods of the old one: a StatefulSet with the same selector replaces them one
 * by one, as its update strategy says. The other workloads can only change their selector, and would leave the old Pods
 * behind.
 */
function adoptsPods({ target: { identity }, manifest }: ResourcePlan, live: JsonObject): boolean {
  if (identity.group !== 'apps' || identity.kind !== 'StatefulSet') return false;
  const [was, is] = [live, manifest.object].map((object) => objectOf(object['spec'])['selector']);
  return isObject(is) && isDeepStrictEqual(was, is);
}
