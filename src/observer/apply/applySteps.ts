import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { conflictingManagerOf } from '../drift/conflictingManager.ts';
import { type ApplyFailure, done, type Outcome } from '../objects/applyFailure.ts';
import { findPaths, omitPaths } from '../objects/livePaths.ts';
import { type Path, pathText } from '../objects/path.ts';
import { foreignElementsIn, isOwnedBy, replacementsIn } from '../ownership/foreignElements.ts';
import { keepLive } from '../ownership/keptFields.ts';
import { hasManager } from '../ownership/ownership.ts';
import { isScaledByUnknown, replicasPath } from '../ownership/replicas.ts';
import { siblingFieldsIn } from '../ownership/siblingFields.ts';
import type { ApplyBodies, ResourcePlan } from '../plan/resourceApi.ts';
import { bodiesOf, observedFor, onlyTo } from './applyBodies.ts';
import { applyUnblocked } from './applyUnblocked.ts';
import type { ObserverApi } from './observerApi.ts';

/** How to apply unobserved fields that other managers have written. */
export interface ForcePolicy {
  /** The fields that are not applied from the start, by `pathText`. */
  readonly omitted: ReadonlySet<string>;
  /** Returns true if a field is set although another manager owns it with another value. */
  readonly forces: (field: string) => boolean;
}

/** Never overrides fields of other managers. */
export const neverForce: ForcePolicy = { omitted: new Set(), forces: () => false };

/**
 * Returns the policy for an object that may have been applied before by a process with another manifest. Fields that
 * are no longer observed still belong to the own manager, and its next apply would delete them.
 */
export function forceOwnOnly(plan: ResourcePlan, live: JsonObject): ForcePolicy {
  const { owner, topology } = plan;
  const { unobserved } = bodiesOf(plan);
  const isOwn = (path: string) =>
    isOwnedBy(live, new Set([owner.own]), path) &&
    conflictingManagerOf(live, { path, type: 'changed' }, owner) === undefined;
  return {
    omitted: new Set(),
    forces: (field) =>
      unobserved !== undefined && findPaths(unobserved, topology, new Set([field])).has(field) && isOwn(field),
  };
}

/** The ownership of fields may change between two attempts. */
const maxAttempts = 5;

/**
 * Runs the three applies to an existing object, which can be aborted between any two and begun again: the whole
 * manifest as the init manager without force, which claims the resource; the observed fields as the own manager with
 * force; the unobserved fields as the init manager, which gives up the others. Returns the response of the second,
 * since changes made after it must not count as desired.
 */
export async function applyInSteps(
  api: ObserverApi,
  plan: ResourcePlan,
  live: JsonObject,
  policy: ForcePolicy,
  signal: AbortSignal,
): Promise<Outcome<JsonObject>> {
  const first = await claimWhole(api, plan, live, bodiesOf(plan).whole, policy, signal);
  if (!first.ok) return first;
  const { object, omitted } = first.value;
  return finishSteps(api, plan, object, { ...policy, omitted }, signal);
}

/** Runs the second and third apply after the response to the first. */
async function finishSteps(
  api: ObserverApi,
  plan: ResourcePlan,
  claimed: JsonObject,
  policy: ForcePolicy,
  signal: AbortSignal,
): Promise<Outcome<JsonObject>> {
  const bodies = bodiesOf(plan);
  const own = await applyNewObserved(api, plan, claimed, bodies, signal);
  if (!own.ok) return own;
  const last = await shrinkInit(api, plan, own.value, bodies, policy, signal);
  return last.ok ? own : last;
}

/** Leaves out removed fields, unless the object would be invalid without them, for instance with no container left. */
async function claimWhole(
  api: ObserverApi,
  plan: ResourcePlan,
  live: JsonObject,
  whole: JsonObject,
  policy: ForcePolicy,
  signal: AbortSignal,
): Promise<Outcome<InitApplied>> {
  const applied = await applyAsInit(api, plan, live, whole, policy, signal);
  if (applied.ok || applied.failure.type !== 'permanent' || policy.omitted.size === 0) return applied;
  return applyAsInit(api, plan, live, whole, { ...policy, omitted: new Set() }, signal);
}

/** Applies the observed fields to the live object, with force. */
export function applyObserved(
  api: ObserverApi,
  plan: ResourcePlan,
  live: JsonObject,
  bodies: ApplyBodies,
  signal: AbortSignal,
): Promise<Outcome<JsonObject>> {
  const how = { manager: plan.owner.own, force: true };
  return api.apply(plan.target, observedFor(live, bodies, plan), how, signal);
}

/** Does the same for new values: what blocks them is not among them. */
export async function applyNewObserved(
  api: ObserverApi,
  plan: ResourcePlan,
  live: JsonObject,
  bodies: ApplyBodies,
  signal: AbortSignal,
): Promise<Outcome<JsonObject>> {
  const apply = (now: JsonObject) => applyObserved(api, plan, now, bodies, signal);
  const blocking = (now: JsonObject, { fields }: ApplyFailure) => [
    ...obsoleteElements(now, plan),
    ...siblingFieldsIn(now, keepLive(bodies.observed, now, plan), plan, fields),
  ];
  const { outcome } = await applyUnblocked(api, plan, live, { manager: plan.owner.own, apply, blocking }, signal);
  return outcome;
}

/** Reduces the init manager's fields to the unobserved ones. */
async function shrinkInit(
  api: ObserverApi,
  plan: ResourcePlan,
  live: JsonObject,
  { unobserved, nothing }: ApplyBodies,
  policy: ForcePolicy,
  signal: AbortSignal,
): Promise<Outcome<unknown>> {
  if (unobserved === undefined && !hasManager(live, plan.owner.init)) return done(undefined);
  return applyAsInit(api, plan, live, unobserved ?? nothing, policy, signal);
}

interface InitApplied {
  readonly object: JsonObject;
  /** All fields that were not applied. */
  readonly omitted: ReadonlySet<string>;
}

/**
 * Applies once as the init manager. A conflicting field is left to its owner, or forced. If values are refused, it
 * tries again without the elements and fields that block them.
 */
async function applyAsInit(
  api: ObserverApi,
  plan: ResourcePlan,
  seen: JsonObject,
  body: JsonObject,
  policy: ForcePolicy,
  signal: AbortSignal,
): Promise<Outcome<InitApplied>> {
  const apply = (now: JsonObject) => applyUncontested(api, plan, now, body, policy, signal);
  const blocking = (now: JsonObject, { fields }: ApplyFailure) => [
    ...obsoleteElements(now, plan),
    ...siblingFieldsIn(now, omitPaths(keepLive(body, now, plan), plan.topology, policy.omitted), plan, fields),
  ];
  const { outcome } = await applyUnblocked(api, plan, seen, { manager: plan.owner.init, apply, blocking }, signal);
  return outcome;
}

async function applyUncontested(
  api: ObserverApi,
  plan: ResourcePlan,
  live: JsonObject,
  body: JsonObject,
  policy: ForcePolicy,
  signal: AbortSignal,
): Promise<Outcome<InitApplied>> {
  const { target, topology, owner } = plan;
  const omitted = new Set(policy.omitted);
  if (live !== undefined && isLeftScaled(plan, live, policy)) omitted.add(replicasPath);
  let force = false;
  for (let attempts = 1; ; attempts += 1) {
    const applied = omitPaths(onlyTo(keepLive(body, live, plan), live), topology, omitted);
    const reply = await api.apply(target, applied, { manager: owner.init, force }, signal);
    if (reply.ok) return done({ object: reply.value, omitted });
    const { type, fields } = reply.failure;
    if (type !== 'conflict' || fields.length === 0 || attempts === maxAttempts) return reply;
    const foreign = fields.filter((field) => !omitted.has(field) && !policy.forces(field));
    for (const field of foreign) omitted.add(field);
    // The label is no longer a conflict here. The forced fields are those with new values.
    force = foreign.length === 0;
  }
}

/**
 * A field without an owner causes no conflict. If the previous manifest had none, or is unknown, it may have the API
 * server's default of 1.
 */
function isLeftScaled({ owner, previous }: ResourcePlan, live: JsonObject, { forces }: ForcePolicy): boolean {
  const hadReplicas = 'replicas' in objectOf(previous?.manifest.object['spec']);
  const isDefault = !hadReplicas && objectOf(live['spec'])['replicas'] === 1;
  return !isDefault && isScaledByUnknown(live, owner) && !forces(replicasPath);
}

/**
 * Returns live elements that one of the two managers has applied and that are no longer in the manifest, such as a
 * changed port, and elements that have replaced observed ones.
 */
function obsoleteElements(live: JsonObject, plan: ResourcePlan): readonly Path[] {
  const { topology, owner } = plan;
  const bodies = bodiesOf(plan);
  const managers = new Set([owner.own, owner.init]);
  const former = foreignElementsIn(live, bodies.whole, topology).filter(({ path }) =>
    isOwnedBy(live, managers, pathText(path)),
  );
  const paths = [...former.map(({ path }) => path), ...replacementsIn(live, bodies, topology)];
  return [...new Map(paths.map((path) => [pathText(path), path])).values()];
}
