import type { JsonObject } from '../../base/json.ts';
import { done, failed, type Outcome } from '../model/applyFailure.ts';
import { identityText } from '../model/identity.ts';
import { findPaths } from '../model/livePaths.ts';
import { hasManager, isTerminating, ownershipConflict, ownershipOf, versionOf } from '../ownership/ownership.ts';
import { removedFieldsIn, unchangedBy } from '../ownership/removedFields.ts';
import type { Applied, ApplyBodies, ResourcePlan } from '../plan/resourceApi.ts';
import { bodiesOf } from './applyBodies.ts';
import { applyInSteps, applyNewObserved, type ForcePolicy, forceOwnOnly } from './applySteps.ts';
import { withOwnerName } from './createResource.ts';
import type { ObserverApi } from './observerApi.ts';
import { orRecreate } from './recreateResource.ts';
import { retryOnLive } from './retryOnConflict.ts';
import { takenFromKubectl } from './takeOver.ts';

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
  if (ownership.is === 'otherApplication') return ownershipConflict(ownership.by, owner, target.identity);
  if (isTerminating(seen)) return failed('terminating', `${identityText(target.identity)} is being deleted.`);
  const update = (now: JsonObject) => updateOnce(api, plan, now, signal);
  const { outcome, live } = await retryOnLive(api, plan, seen, update, signal);
  if (!outcome.ok) return withOwnerName(api, plan, await orRecreate(api, plan, live, outcome.failure, signal), signal);
  const hasChanged = versionOf(outcome.value) !== versionOf(seen);
  return done({ object: outcome.value, hasChanged, isNew: false });
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
  const live = taken.value;
  const bodies = bodiesOf(plan);
  if (bodies.unobserved === undefined && !hasManager(live, plan.owner.init))
    return applyNewObserved(api, plan, live, bodies, signal);
  const policy = forcePolicyFor(plan, bodies, live);
  const applied = await applyInSteps(api, plan, live, policy, signal);
  if (applied.ok || applied.failure.is !== 'permanent' || plan.previous !== undefined) return applied;
  // A missing field may be new in the manifest, or removed by another client. If it cannot be added, it is left out.
  const omitted = removedFieldsIn(live, bodies, plan.topology);
  return omitted.size === 0 ? applied : applyInSteps(api, plan, live, { ...policy, omitted }, signal);
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
