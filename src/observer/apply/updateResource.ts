import type { JsonObject } from '@weeder/kube-runtime/base';
import { contentOf } from '../drift/content.ts';
import { done, failed, type Outcome } from '../objects/applyFailure.ts';
import { causePathsOf, concerns } from '../objects/causePath.ts';
import { identityText } from '../objects/identity.ts';
import { findPaths, walk } from '../objects/livePaths.ts';
import type { Path } from '../objects/path.ts';
import { forgottenFieldsIn } from '../ownership/forgottenFields.ts';
import { hasManager, isTerminating, ownershipConflict, ownershipOf, versionOf } from '../ownership/ownership.ts';
import { removedFieldsIn, unchangedBy } from '../ownership/removedFields.ts';
import type { Applied, ApplyBodies, ResourcePlan } from '../plan/resourceApi.ts';
import { bodiesOf } from './applyBodies.ts';
import { applyInSteps, applyNewObserved, type ForcePolicy, forceOwnOnly } from './applySteps.ts';
import { isRefusal } from './applyUnblocked.ts';
import { withOwnerName } from './createResource.ts';
import type { ObserverApi } from './observerApi.ts';
import { orRecreate } from './recreateResource.ts';
import { retryOnLive } from './retryOnConflict.ts';
import { takenFromKubectl, takeOverAll } from './takeOver.ts';

/**
 * Applies another manifest or field mask than `plan.previous` to the live object. Observed fields are set. Unobserved
 * fields are set only if their value in the manifest has changed; otherwise they stay as other clients have left them.
 * Without `plan.previous` (a new process knows only a hash) everything that others have written stays. Fields may move
 * between observed and unobserved, and the apiVersion may change, without an intermediate deletion. Recreates the
 * object if an immutable field has to change and the plan allows it.
 */
export async function updateResource(
  api: ObserverApi,
  plan: ResourcePlan,
  seen: JsonObject,
  signal: AbortSignal,
): Promise<Outcome<Applied>> {
  const { target, owner } = plan;
  const ownership = ownershipOf(seen, owner);
  if (ownership.type === 'otherApplication') return ownershipConflict(ownership.by, owner, target.identity);
  if (isTerminating(seen)) return failed('terminating', `${identityText(target.identity)} is being deleted.`);
  const update = (now: JsonObject) => updateChanged(api, plan, now, signal);
  const { outcome, live } = await retryOnLive(api, plan, seen, update, signal);
  if (!outcome.ok) return withOwnerName(api, plan, await orRecreate(api, plan, live, outcome.failure, signal), signal);
  const hasChanged = versionOf(outcome.value) !== versionOf(seen);
  return done({ object: outcome.value, hasChanged, isNew: false });
}

/** A field that both manifests have and that cannot be set back does not block the update of the others. */
async function updateChanged(
  api: ObserverApi,
  plan: ResourcePlan,
  live: JsonObject,
  signal: AbortSignal,
): Promise<Outcome<JsonObject>> {
  const updated = await updateOnce(api, plan, live, signal);
  if (updated.ok || !isRefusal(updated.failure) || plan.mayRecreate || plan.previous === undefined) return updated;
  const kept = unchangedDriftsIn(plan, plan.previous.manifest.object, live, updated.failure.fields);
  if (kept.size === 0) return updated;
  const read = await api.read(plan.target, signal);
  const again = read.ok ? await updateOnce(api, { ...plan, kept }, read.value, signal) : read;
  return again.ok || !isRefusal(again.failure) ? again : updated;
}

/** Returns the fields with another value than both manifests have that a cause of the refusal is about. */
function unchangedDriftsIn(
  { manifest, topology }: ResourcePlan,
  from: JsonObject,
  live: JsonObject,
  refusedFields: readonly string[],
): ReadonlySet<string> {
  const causes = causePathsOf(refusedFields);
  const isSame = unchangedBy({ from, to: manifest.object }, topology);
  const there = new Map<string, unknown>();
  walk(live, topology, (text, _path, value) => {
    there.set(text, value);
    return true;
  });
  const kept = new Set<string>();
  walk(contentOf(manifest.object), topology, (text, path, value) => {
    const isBranch = typeof value === 'object' && value !== null;
    const isDrift = !isBranch && there.has(text) && there.get(text) !== value;
    if (isDrift && causes.some((cause) => concerns(cause, path)) && isSame(text)) kept.add(text);
    return true;
  });
  return kept;
}

/** If everything is observed, before and now, there is one manager, and all its fields are forced. */
async function updateOnce(
  api: ObserverApi,
  plan: ResourcePlan,
  seen: JsonObject,
  signal: AbortSignal,
): Promise<Outcome<JsonObject>> {
  const patch = takenFromKubectl(seen, plan.owner);
  const taken = patch === undefined ? done(seen) : await api.patch(plan.target, patch, plan.owner.own, signal);
  if (!taken.ok) return taken;
  const bodies = bodiesOf(plan);
  const forgotten = forgottenIn(taken.value, plan, bodies);
  const cleared = await takeOverAll(api, plan, taken.value, forgotten, plan.owner.own, signal);
  if (!cleared.ok) return cleared;
  const live = cleared.value;
  if (bodies.unobserved === undefined && !hasManager(live, plan.owner.init))
    return applyNewObserved(api, plan, live, bodies, signal);
  const policy = forcePolicyFor(plan, bodies, live);
  const applied = await applyInSteps(api, plan, live, policy, signal);
  if (applied.ok || applied.failure.type !== 'permanent' || plan.previous !== undefined) return applied;
  // A missing field may be new in the manifest, or removed by another client. If it cannot be added, it is left out.
  const omitted = removedFieldsIn(live, bodies, plan.topology);
  return omitted.size === 0 ? applied : applyInSteps(api, plan, live, { ...policy, omitted }, signal);
}

/** In another version of its kind, a path may be another field. */
function forgottenIn(live: JsonObject, plan: ResourcePlan, { whole }: ApplyBodies): readonly Path[] {
  const { previous, manifest, topology } = plan;
  if (previous === undefined || previous.manifest.apiVersion !== manifest.apiVersion) return [];
  return forgottenFieldsIn(live, bodiesOf({ ...plan, ...previous }).whole, whole, topology);
}

function forcePolicyFor(plan: ResourcePlan, bodies: ApplyBodies, live: JsonObject): ForcePolicy {
  const { previous, manifest, topology } = plan;
  const ownOnly = forceOwnOnly(plan, live);
  if (previous === undefined) return ownOnly;
  const change = { from: previous.manifest.object, to: manifest.object };
  const isSame = unchangedBy(change, topology);
  return {
    omitted: removedFieldsIn(live, bodies, topology, change),
    // The init manager does not force observed fields, because the own manager does so right after it. It forces fields
    // of the own manager even if both manifests have the same value: an update that failed may have set another one.
    forces: (field) =>
      ownOnly.forces(field) ||
      (bodies.unobserved !== undefined &&
        findPaths(bodies.unobserved, topology, new Set([field])).has(field) &&
        !isSame(field)),
  };
}
