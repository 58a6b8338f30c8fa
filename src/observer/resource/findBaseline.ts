import type { ResourceEvent } from '../../../machines/observer/resource.ts';
import { baselineOf, initialisedIn } from '../drift/baseline.ts';
import { conflictingManagerOf } from '../drift/conflictingManager.ts';
import { project } from '../drift/project.ts';
import type { ObserverEffects } from '../effects/observerEffects.ts';
import type { Json } from '../model/identity.ts';
import type { Projection } from '../model/projection.ts';
import type { Applied, DryRun, ResourcePlan } from '../plan/resourceApi.ts';
import { foundOf, type ResourceEntry } from '../state/entries.ts';
import { effectivePlan, setBaseline } from '../state/observeObject.ts';
import { checkFailed } from './failureEvents.ts';

/**
 * Finds out what is desired, where that is not known: after a restart, and after an apply to what was there before. What
 * the API server makes of the manifest says it. Undefined: it is known now.
 */
export async function findBaseline(
  { runtime, api, dryRuns }: Pick<ObserverEffects, 'runtime' | 'api' | 'dryRuns'>,
  entry: ResourceEntry,
  signal: AbortSignal,
): Promise<ResourceEvent | undefined> {
  const plan = effectivePlan(entry);
  if (entry.baseline !== undefined || plan === undefined) return undefined;
  const release = await dryRuns.acquire(entry.application.id, plan.target.apiVersion, signal);
  const tried = await api.dryRunApply(plan, signal).finally(release);
  if (!tried.ok) return checkFailed(tried.failure);
  setDryRunBaseline(entry, plan, tried.value, runtime.clock.monotonic());
  return undefined;
}

/** What was tried out is desired from now on. `now`: by the monotonic clock. */
export function setDryRunBaseline(entry: ResourceEntry, plan: ResourcePlan, tried: DryRun, now: number): void {
  const filled = initialisedIn(plan, baselineOf(plan, tried));
  const found = [...filled].map(([path, value]) => [path, defaultedValue(entry, plan, path) ?? value] as const);
  entry.initialised = new Map([...retainedDefaults(entry, plan, tried, filled), ...found]);
  setBaseline(entry, baselineOf(plan, tried, entry.initialised), now);
}

/**
 * Keeps known defaults of fields that another manager owns now: the dry run does not show the server's value for them.
 */
function retainedDefaults(
  entry: ResourceEntry,
  plan: ResourcePlan,
  { object }: DryRun,
  filled: ReadonlyMap<string, Json>,
) {
  const others = [...entry.initialised].filter(([path]) => !filled.has(path));
  if (others.length === 0) return [];
  const there = initialisedIn(plan, project(object, plan.manifest, plan.mask, plan.topology));
  return others.filter(([path]) => there.has(path));
}

/** The reply says what is desired of what was made by the apply alone; of anything else it may say what others have added. */
export function appliedBaseline(plan: ResourcePlan, { object, isNew }: Applied): Projection | undefined {
  return isNew ? project(object, plan.manifest, plan.mask, plan.topology) : undefined;
}

/**
 * What the API server filled in when it was made, and would fill in otherwise now: an address, a port. What somebody owns
 * is none of the server's doing.
 */
function defaultedValue(entry: ResourceEntry, plan: ResourcePlan, path: string): Json | undefined {
  const object = foundOf(entry)?.object;
  const known = entry.initialised.get(path);
  if (known !== undefined || object === undefined) return known;
  if (conflictingManagerOf(object, { path, is: 'changed' }, plan.owner) !== undefined) return undefined;
  return project(object, plan.manifest, plan.mask, plan.topology).fields.get(path);
}
