import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { type ApplyFailure, done, type Outcome } from '../objects/applyFailure.ts';
import { canBeRecreated } from '../objects/immutable.ts';
import { isProvenApplied } from '../ownership/ownership.ts';
import type { Applied, ResourcePlan } from '../plan/resourceApi.ts';
import { bodiesOf } from './applyBodies.ts';
import { isRefusal } from './applyUnblocked.ts';
import { createResource } from './createResource.ts';
import type { ObserverApi } from './observerApi.ts';
import { retryOnLive } from './retryOnConflict.ts';

/**
 * Deletes and recreates the object if the API server would accept the change in a new object only, the application
 * allows it, and the object is proven to be applied by it. While the old object is terminating the failure is
 * `terminating`, and the next check creates it.
 */
export async function orRecreate(
  api: ObserverApi,
  plan: ResourcePlan,
  seen: JsonObject,
  failure: ApplyFailure,
  signal: AbortSignal,
): Promise<Outcome<Applied>> {
  const mayBe = isOfFields(failure) && plan.mayRecreate && canBeRecreated(plan.target.identity);
  if (!mayBe) return { ok: false, failure };
  const asNew = await createAsTrial(api, plan, signal);
  if (!asNew.ok) return isRefusal(asNew.failure) ? notRecreated(failure, asNew.failure.reason) : asNew;
  const remove = async (live: JsonObject): Promise<Outcome<undefined>> => {
    if (!isProvenApplied(live, plan.owner, plan.appliedUid))
      return notRecreated(failure, `${plan.owner.name} has not applied this object.`);
    const removed = await api.remove(plan.target, live, signal, adoptsPods(plan, live) ? 'Orphan' : 'Background');
    return removed.ok || removed.failure.type === 'missing' ? done(undefined) : removed;
  };
  const { outcome } = await retryOnLive(api, plan, seen, remove, signal);
  return outcome.ok ? createResource(api, plan, signal) : outcome;
}

/** Returns true for a 422 with causes in fields: the API server has no reason of its own for an immutable field. */
function isOfFields({ type, fields }: ApplyFailure): boolean {
  return type === 'immutable' || (type === 'permanent' && fields.length > 0);
}

/**
 * Checks whether the API server would create the object. It refuses that last because the name exists, and the old
 * object may also have the port or address of the new one.
 */
async function createAsTrial(api: ObserverApi, plan: ResourcePlan, signal: AbortSignal): Promise<Outcome<unknown>> {
  const made = await api.dryRunCreate(plan.target, bodiesOf(plan).whole, plan.owner.own, signal);
  return !made.ok && (made.failure.type === 'conflict' || made.failure.isTaken === true) ? done(undefined) : made;
}

function notRecreated(failure: ApplyFailure, why: string): { readonly ok: false; readonly failure: ApplyFailure } {
  const reason = why === failure.reason ? why : `${failure.reason} It is not recreated: ${why}`;
  return { ok: false, failure: { ...failure, reason } };
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
