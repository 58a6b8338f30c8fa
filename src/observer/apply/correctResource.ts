/**
 * Applies all observed fields and removes excess elements and fields. It leaves unobserved fields alone, except those
 * that the API server needs or refuses beside the observed ones. Never changes another object of the same name, nor one
 * that was read as terminating or as another application's. Does not guarantee that all drifts are corrected, or by one
 * request: a refused field keeps its live value, and what was applied before a failure remains. With `recreate`, the
 * object may be another one afterwards.
 */

import type { JsonObject } from '@weeder/kube-runtime/base';
import { type ApplyFailure, done, failed, type Outcome } from '../objects/applyFailure.ts';
import { identityText } from '../objects/identity.ts';
import { findPaths, pathsBelow } from '../objects/livePaths.ts';
import type { Path } from '../objects/path.ts';
import type { Drift } from '../objects/projection.ts';
import { replacementsIn } from '../ownership/foreignElements.ts';
import { keepLive } from '../ownership/keptFields.ts';
import { isTerminating, ownershipConflict, ownershipOf, uidOf, versionOf } from '../ownership/ownership.ts';
import { partlyMissing, removedFieldsIn } from '../ownership/removedFields.ts';
import { siblingFieldsIn } from '../ownership/siblingFields.ts';
import type { Applied, ApplyBodies, ResourcePlan } from '../plan/resourceApi.ts';
import { bodiesOf } from './applyBodies.ts';
import { applyInSteps, applyObserved, neverForce } from './applySteps.ts';
import { applyUnblocked, isRefusal, type Unblocked } from './applyUnblocked.ts';
import { correctInParts } from './correctInParts.ts';
import { withOwnerName } from './createResource.ts';
import { withDefaultedFields } from './defaultedFields.ts';
import type { ObserverApi } from './observerApi.ts';
import { orRecreate } from './recreateResource.ts';
import { retryOnLive } from './retryOnConflict.ts';

/** If the new values are refused, it tries once more without elements that were added or renamed. */
export async function correctResource(
  api: ObserverApi,
  plan: ResourcePlan,
  seen: JsonObject,
  drifts: readonly Drift[],
  signal: AbortSignal,
): Promise<Outcome<Applied>> {
  if (isTerminating(seen)) return failed('terminating', `${identityText(plan.target.identity)} is being deleted.`);
  const correct = async (now: JsonObject): Promise<Outcome<Applied>> => {
    const ownership = ownershipOf(now, plan.owner);
    if (ownership.type === 'otherApplication') return ownershipConflict(ownership.by, plan.owner, plan.target.identity);
    return withOwnerName(api, plan, await correctAll(api, plan, now, drifts, signal), signal);
  };
  return (await retryOnLive(api, plan, seen, correct, signal)).outcome;
}

/** Recreates the object if that is allowed. Otherwise a refused field does not protect the others. */
async function correctAll(
  api: ObserverApi,
  plan: ResourcePlan,
  now: JsonObject,
  drifts: readonly Drift[],
  signal: AbortSignal,
): Promise<Outcome<Applied>> {
  const correctSome = (its: ResourcePlan, live: JsonObject, some: readonly Drift[]) =>
    correctOnce(api, its, withDefaultedFields(its, bodiesOf(its), live, some), live, some, signal);
  const { outcome: applied, live: left } = await correctSome(plan, now, drifts);
  const outcome = applied.ok ? applied : await orRecreate(api, plan, left, applied.failure, signal);
  // Nothing is written to an object that the application would have to adopt, unless it can be applied as a whole.
  if (outcome.ok || !isRefusal(outcome.failure) || !isOwn(left, plan)) return outcome;
  return correctInParts(plan, left, drifts, outcome.failure, correctSome);
}

/** Whether the application has applied this object, and not one that another client has put in its place. */
function isOwn(live: JsonObject, { owner, appliedUid }: ResourcePlan): boolean {
  return appliedUid === undefined ? ownershipOf(live, owner).type === 'ours' : uidOf(live) === appliedUid;
}

async function correctOnce(
  api: ObserverApi,
  plan: ResourcePlan,
  bodies: ApplyBodies,
  seen: JsonObject,
  drifts: readonly Drift[],
  signal: AbortSignal,
): Promise<Unblocked<Applied>> {
  const excess = excessIn(seen, plan, drifts);
  const apply = (now: JsonObject) => write(api, plan, bodies, now, signal);
  const blocking = (now: JsonObject, { fields }: ApplyFailure) => [
    ...replacementsIn(now, bodies, plan.topology),
    ...siblingFieldsIn(now, keepLive(bodies.observed, now, plan), plan, fields),
  ];
  const how = { manager: plan.owner.own, apply, excess, blocking };
  const { outcome, live } = await applyUnblocked(api, plan, seen, how, signal);
  return { outcome: appliedTo(seen, live, outcome), live };
}

/**
 * If an element is missing of which only a part is observed, the write includes the whole element: the observed part
 * alone would be an incomplete container. A map is restored without its unobserved fields, which another client has
 * removed, unless the API server refuses that: a probe needs a port.
 */
async function write(
  api: ObserverApi,
  plan: ResourcePlan,
  bodies: ApplyBodies,
  live: JsonObject,
  signal: AbortSignal,
): Promise<Outcome<JsonObject>> {
  const missing = partlyMissing(live, bodies, plan.topology);
  if (missing !== 'element') {
    const applied = await applyObserved(api, plan, live, bodies, signal);
    if (missing === 'nothing' || applied.ok || applied.failure.type !== 'permanent') return applied;
  }
  const omitted = removedFieldsIn(live, bodies, plan.topology);
  return applyInSteps(api, plan, live, { ...neverForce, omitted }, signal);
}

/** A response with the resource version from before the apply means that nothing was written. */
function appliedTo(seen: JsonObject, live: JsonObject, applied: Outcome<JsonObject>): Outcome<Applied> {
  if (!applied.ok) return applied;
  const versions = [versionOf(seen), versionOf(live)];
  return done({ object: applied.value, hasChanged: !versions.includes(versionOf(applied.value)), isNew: false });
}

/**
 * Returns elements and fields to remove. If only a length is wrong, the apply corrects it. A null alone does not replace
 * a map or a merged list: the API server keeps what others have put there.
 */
function excessIn(live: JsonObject, { topology }: ResourcePlan, drifts: readonly Drift[]): readonly Path[] {
  const found = (isExcess: (drift: Drift) => boolean) => [
    ...findPaths(live, topology, new Set(drifts.filter(isExcess).map(({ path }) => path))).values(),
  ];
  return [
    ...found(({ type, desired }) => type === 'excess' && desired === undefined).map(({ path }) => path),
    ...found(({ type, desired }) => type === 'changed' && desired === null).flatMap(({ path, value, at }) =>
      pathsBelow(value, at, path),
    ),
  ];
}
