import type { JsonObject } from '../json.ts';
import type { ApplyFailure, Outcome } from './applyFailure.ts';
import { createResource } from './createResource.ts';
import { canBeRecreated } from './immutable.ts';
import type { ObserverApi } from './observerApi.ts';
import { uidOf } from './ownership.ts';
import type { Applied, ResourcePlan } from './resourceApi.ts';

/**
 * Where only a new object could have the wanted values, and the application allows it for this one, it is deleted and
 * made anew (A19). As long as the old one takes to go, this is `terminating`: whoever then finds it missing makes it.
 */
export async function orRecreate(
  api: ObserverApi,
  plan: ResourcePlan,
  live: JsonObject,
  failure: ApplyFailure,
  signal: AbortSignal,
): Promise<Outcome<Applied>> {
  const uid = uidOf(live);
  const mayBe = failure.is === 'immutable' && plan.mayRecreate && canBeRecreated(plan.target.identity);
  if (!mayBe || uid === undefined) return { ok: false, failure };
  const removed = await api.remove(plan.target, uid, signal);
  if (!removed.ok && removed.failure.is !== 'missing') return removed;
  return createResource(api, plan, signal);
}
