import { type JsonObject, objectOf } from '../../base/json.ts';
import { conflictingManagerOf } from '../drift/conflictingManager.ts';
import { done, type Outcome } from '../model/applyFailure.ts';
import { findPaths, omitPaths } from '../model/livePaths.ts';
import { type Path, pathText } from '../model/path.ts';
import { foreignElementsIn, isOwnedBy, replacementsIn } from '../ownership/foreignElements.ts';
import { hasManager } from '../ownership/ownership.ts';
import { isScaledByUnknown, replicasPath } from '../ownership/replicas.ts';
import type { ApplyBodies, ResourcePlan } from '../plan/resourceApi.ts';
import { bodiesOf, observedFor, onlyTo } from './applyBodies.ts';
import type { ObserverApi } from './observerApi.ts';
import { takeOverAll } from './takeOver.ts';

/** How unobserved fields are applied that other managers have written. */
export interface ForcePolicy {
  /** By `pathText`: not applied from the start. */
  readonly omitted: ReadonlySet<string>;
  /** Of a field that another manager owns with another value: it is set all the same. */
  readonly forces: (field: string) => boolean;
}

/** Never overrides fields of other managers. */
export const neverForce: ForcePolicy = { omitted: new Set(), forces: () => false };

/**
 * The same of an object that may have been applied before, by a process that knew another manifest. What is observed no
 * more still belongs to the own manager: left to it, it would be deleted by its next apply.
 */
export function forceOwnOnly(plan: ResourcePlan, live: JsonObject): ForcePolicy {
  const { owner, topology } = plan;
  const { unobserved } = bodiesOf(plan);
  const isOwn = (path: string) =>
    isOwnedBy(live, new Set([owner.own]), path) &&
    conflictingManagerOf(live, { path, is: 'changed' }, owner) === undefined;
  return {
    omitted: new Set(),
    forces: (field) =>
      unobserved !== undefined && findPaths(unobserved, topology, new Set([field])).has(field) && isOwn(field),
  };
}

/** The ownership of fields may change between two attempts. */
const maxAttempts = 5;

/**
 * The three applies to what is there, which can be ended between any two of them and begun again: the whole manifest as the init
 * manager without force, which claims the resource; the observed fields as the own manager with force; the unobserved
 * ones as the init manager, which so gives up the others. The reply is that of the second: what anybody did after it
 * would otherwise count as desired.
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

/** The second and the third of them, after the first one's reply. */
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

/**
 * Leaves out removed fields, unless the object would be invalid without them, for instance with no container left: then
 * they are applied.
 */
async function claimWhole(
  api: ObserverApi,
  plan: ResourcePlan,
  live: JsonObject,
  whole: JsonObject,
  policy: ForcePolicy,
  signal: AbortSignal,
): Promise<Outcome<InitApplied>> {
  const applied = await applyAsInit(api, plan, live, whole, policy, signal);
  if (applied.ok || applied.failure.is !== 'permanent' || policy.omitted.size === 0) return applied;
  return applyAsInit(api, plan, live, whole, { ...policy, omitted: new Set() }, signal);
}

/** Applies the observed fields to the live object, with force. */
export function applyObserved(
  api: ObserverApi,
  plan: ResourcePlan,
  live: JsonObject,
  { observed }: ApplyBodies,
  signal: AbortSignal,
): Promise<Outcome<JsonObject>> {
  const how = { manager: plan.owner.own, force: true };
  return api.apply(plan.target, observedFor(live, observed, plan), how, signal);
}

/** The same with other values than before: elements that are not among them must not stand in their way. */
export async function applyNewObserved(
  api: ObserverApi,
  plan: ResourcePlan,
  live: JsonObject,
  bodies: ApplyBodies,
  signal: AbortSignal,
): Promise<Outcome<JsonObject>> {
  const applied = await applyObserved(api, plan, live, bodies, signal);
  if (applied.ok || applied.failure.is !== 'permanent') return applied;
  const taken = await takeOverAll(api, plan, live, obsoleteElements(plan), plan.owner.own, signal);
  if (!taken.ok) return taken;
  return taken.value === live ? applied : applyObserved(api, plan, taken.value, bodies, signal);
}

/** The init manager has the unobserved fields and nothing else from now on. */
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
  /** All that was not applied. */
  readonly omitted: ReadonlySet<string>;
}

/**
 * One apply as the init manager; what is a conflict is left to whom it belongs, or forced. Values that are refused
 * are tried once more without the elements that stand in their way.
 */
async function applyAsInit(
  api: ObserverApi,
  plan: ResourcePlan,
  seen: JsonObject,
  body: JsonObject,
  policy: ForcePolicy,
  signal: AbortSignal,
): Promise<Outcome<InitApplied>> {
  const manager = plan.owner.init;
  const applied = await applyUncontested(api, plan, seen, body, policy, signal);
  if (applied.ok || applied.failure.is !== 'permanent') return applied;
  const taken = await takeOverAll(api, plan, seen, obsoleteElements(plan), manager, signal);
  if (!taken.ok) return taken;
  return taken.value === seen ? applied : applyUncontested(api, plan, taken.value, body, policy, signal);
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
    const applied = omitPaths(onlyTo(body, live), topology, omitted);
    const reply = await api.apply(target, applied, { manager: owner.init, force }, signal);
    if (reply.ok) return done({ object: reply.value, omitted });
    const { is, fields } = reply.failure;
    if (is !== 'conflict' || fields.length === 0 || attempts === maxAttempts) return reply;
    const foreign = fields.filter((field) => !omitted.has(field) && !policy.forces(field));
    for (const field of foreign) omitted.add(field);
    // The label is no conflict by now: what is forced are fields whose values are new.
    force = foreign.length === 0;
  }
}

/**
 * What has no owner is no conflict. Where nothing is known of the manifest of before, the API server's default of 1 may
 * be what it had.
 */
function isLeftScaled({ owner, previous }: ResourcePlan, live: JsonObject, { forces }: ForcePolicy): boolean {
  const isDefault = previous === undefined && objectOf(live['spec'])['replicas'] === 1;
  return !isDefault && isScaledByUnknown(live, owner) && !forces(replicasPath);
}

/**
 * Live elements that are no longer in the manifest and were applied by one of the two managers, such as a port that has
 * changed; and elements that have replaced observed ones.
 */
function obsoleteElements(plan: ResourcePlan): (live: JsonObject) => readonly Path[] {
  const { topology, owner } = plan;
  const bodies = bodiesOf(plan);
  const managers = new Set([owner.own, owner.init]);
  return (live) => {
    const former = foreignElementsIn(live, bodies.whole, topology).filter(({ path }) =>
      isOwnedBy(live, managers, pathText(path)),
    );
    const paths = [...former.map(({ path }) => path), ...replacementsIn(live, bodies, topology)];
    return [...new Map(paths.map((path) => [pathText(path), path])).values()];
  };
}
