import { type JsonObject, objectOf } from '../../base/json.ts';
import { rivalOf } from '../drift/rival.ts';
import { done, type Outcome } from '../model/applyFailure.ts';
import { findPaths, leaveOut } from '../model/livePaths.ts';
import { type Path, pathText } from '../model/path.ts';
import { hasManager } from '../ownership/ownership.ts';
import { isScaledByUnknown, replicasPath } from '../ownership/scaleOwned.ts';
import { isOwnedBy, renamedIn, strangersIn } from '../ownership/strangers.ts';
import type { ApplyBodies, ResourcePlan } from '../plan/resourceApi.ts';
import { bodiesOf, observedFor, onlyTo } from './applyBodies.ts';
import type { ObserverApi } from './observerApi.ts';
import { takeOverAll } from './takeOver.ts';

/** How fields that are not observed are treated where somebody else has written them. */
export interface Yielding {
  /** By `pathText`: not applied from the start. */
  readonly without: ReadonlySet<string>;
  /** Of a field that another manager owns with another value: it is set all the same. */
  readonly forces: (field: string) => boolean;
}

/** Nothing of anybody else's is touched. */
export const yieldsAlways: Yielding = { without: new Set(), forces: () => false };

/**
 * The same of an object that may have been applied before, by a process that knew another manifest. What is observed no
 * more still belongs to the own manager: left to it, it would be deleted by its next apply.
 */
export function yieldsToOthers(plan: ResourcePlan, live: JsonObject): Yielding {
  const { owner, structure } = plan;
  const { unobserved } = bodiesOf(plan);
  const isOwn = (path: string) =>
    isOwnedBy(live, new Set([owner.own]), path) && rivalOf(live, { path, is: 'changed' }, owner) === undefined;
  return {
    without: new Set(),
    forces: (field) =>
      unobserved !== undefined && findPaths(unobserved, structure, new Set([field])).has(field) && isOwn(field),
  };
}

/** Fields may come to belong to somebody else between two tries. */
const mostTries = 5;

/**
 * The three applies to what is there, which can be ended between any two of them and begun again: the whole manifest as the init
 * manager without force, which claims the resource; the observed fields as the own manager with force; the unobserved
 * ones as the init manager, which so gives up the others. The reply is that of the second: what anybody did after it
 * would otherwise count as wanted.
 */
export async function applyInSteps(
  api: ObserverApi,
  plan: ResourcePlan,
  live: JsonObject,
  yielding: Yielding,
  signal: AbortSignal,
): Promise<Outcome<JsonObject>> {
  const first = await claimWhole(api, plan, live, bodiesOf(plan).whole, yielding, signal);
  if (!first.ok) return first;
  const { object, without } = first.value;
  return finishSteps(api, plan, object, { ...yielding, without }, signal);
}

/** The second and the third of them, after the first one's reply. */
async function finishSteps(
  api: ObserverApi,
  plan: ResourcePlan,
  claimed: JsonObject,
  yielding: Yielding,
  signal: AbortSignal,
): Promise<Outcome<JsonObject>> {
  const bodies = bodiesOf(plan);
  const own = await applyObservedAnew(api, plan, claimed, bodies, signal);
  if (!own.ok) return own;
  const last = await shrinkInit(api, plan, own.value, bodies, yielding, signal);
  return last.ok ? own : last;
}

/**
 * What others took away is left away, unless what is left cannot be: the last container that the manifest has, where
 * somebody had kept another one of before.
 */
async function claimWhole(
  api: ObserverApi,
  plan: ResourcePlan,
  live: JsonObject,
  whole: JsonObject,
  yielding: Yielding,
  signal: AbortSignal,
): Promise<Outcome<Yielded>> {
  const applied = await applyYielding(api, plan, live, whole, yielding, signal);
  if (applied.ok || applied.failure.is !== 'permanent' || yielding.without.size === 0) return applied;
  return applyYielding(api, plan, live, whole, { ...yielding, without: new Set() }, signal);
}

/** The observed fields, whoever has written them, on what is there. */
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
export async function applyObservedAnew(
  api: ObserverApi,
  plan: ResourcePlan,
  live: JsonObject,
  bodies: ApplyBodies,
  signal: AbortSignal,
): Promise<Outcome<JsonObject>> {
  const applied = await applyObserved(api, plan, live, bodies, signal);
  if (applied.ok || applied.failure.is !== 'permanent') return applied;
  const taken = await takeOverAll(api, plan, live, elementsInTheWay(plan), plan.owner.own, signal);
  if (!taken.ok) return taken;
  return taken.value === live ? applied : applyObserved(api, plan, taken.value, bodies, signal);
}

/** The init manager has the unobserved fields and nothing else from now on. */
async function shrinkInit(
  api: ObserverApi,
  plan: ResourcePlan,
  live: JsonObject,
  { unobserved, nothing }: ApplyBodies,
  yielding: Yielding,
  signal: AbortSignal,
): Promise<Outcome<unknown>> {
  if (unobserved === undefined && !hasManager(live, plan.owner.init)) return done(undefined);
  return applyYielding(api, plan, live, unobserved ?? nothing, yielding, signal);
}

interface Yielded {
  readonly object: JsonObject;
  /** All that was not applied. */
  readonly without: ReadonlySet<string>;
}

/**
 * One apply as the init manager; what is a conflict is left to whom it belongs, or forced. Values that are refused
 * are tried once more without the elements that stand in their way.
 */
async function applyYielding(
  api: ObserverApi,
  plan: ResourcePlan,
  seen: JsonObject,
  body: JsonObject,
  yielding: Yielding,
  signal: AbortSignal,
): Promise<Outcome<Yielded>> {
  const manager = plan.owner.init;
  const applied = await applyAround(api, plan, seen, body, yielding, signal);
  if (applied.ok || applied.failure.is !== 'permanent') return applied;
  const taken = await takeOverAll(api, plan, seen, elementsInTheWay(plan), manager, signal);
  if (!taken.ok) return taken;
  return taken.value === seen ? applied : applyAround(api, plan, taken.value, body, yielding, signal);
}

async function applyAround(
  api: ObserverApi,
  plan: ResourcePlan,
  live: JsonObject,
  body: JsonObject,
  yielding: Yielding,
  signal: AbortSignal,
): Promise<Outcome<Yielded>> {
  const { target, structure, owner } = plan;
  const without = new Set(yielding.without);
  if (live !== undefined && isLeftScaled(plan, live, yielding)) without.add(replicasPath);
  let force = false;
  for (let tries = 1; ; tries += 1) {
    const left = leaveOut(onlyTo(body, live), structure, without);
    const reply = await api.apply(target, left, { manager: owner.init, force }, signal);
    if (reply.ok) return done({ object: reply.value, without });
    const { is, fields } = reply.failure;
    if (is !== 'conflict' || fields.length === 0 || tries === mostTries) return reply;
    const foreign = fields.filter((field) => !without.has(field) && !yielding.forces(field));
    for (const field of foreign) without.add(field);
    // The label is no conflict by now: what is forced are fields whose values are new.
    force = foreign.length === 0;
  }
}

/**
 * What has no owner is no conflict. Where nothing is known of the manifest of before, the API server's default of 1 may
 * be what it had.
 */
function isLeftScaled({ owner, before }: ResourcePlan, live: JsonObject, { forces }: Yielding): boolean {
  const isDefault = before === undefined && objectOf(live['spec'])['replicas'] === 1;
  return !isDefault && isScaledByUnknown(live, owner) && !forces(replicasPath);
}

/**
 * Elements that are live and not in the manifest, and that one of the two managers has applied before: a port that is
 * another one now. And those that somebody has put in the place of observed ones.
 */
function elementsInTheWay(plan: ResourcePlan): (live: JsonObject) => readonly Path[] {
  const { structure, owner } = plan;
  const bodies = bodiesOf(plan);
  const managers = new Set([owner.own, owner.init]);
  return (live) => {
    const former = strangersIn(live, bodies.whole, structure).filter(({ path }) =>
      isOwnedBy(live, managers, pathText(path)),
    );
    const paths = [...former.map(({ path }) => path), ...renamedIn(live, bodies, structure)];
    return [...new Map(paths.map((path) => [pathText(path), path])).values()];
  };
}
