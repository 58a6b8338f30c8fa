import type { ResourceEvent } from '../../machines/observer/resource.ts';
import { baselineOf, initialisedIn } from './baseline.ts';
import { planInForce, want } from './hear.ts';
import type { Json } from './identity.ts';
import type { ObserverEffects } from './observerEffects.ts';
import { project } from './project.ts';
import type { Projection } from './projection.ts';
import type { Applied, ResourcePlan, Tried } from './resourceApi.ts';
import { foundOf, type ResourceEntry } from './resourceEntry.ts';
import { lookFailed } from './resourceEvents.ts';
import { rivalOf } from './rival.ts';

/**
 * Finds out what is wanted, where that is not known: after a restart, and after an apply to what was there before. What
 * the API server makes of the manifest says it (A6). Undefined: it is known now.
 */
export async function findWanted(
  { runtime, api, trials }: Pick<ObserverEffects, 'runtime' | 'api' | 'trials'>,
  entry: ResourceEntry,
  signal: AbortSignal,
): Promise<ResourceEvent | undefined> {
  const plan = planInForce(entry);
  if (entry.baseline !== undefined || plan === undefined) return undefined;
  const release = await trials.take(entry.application.id, plan.target.apiVersion, signal);
  const tried = await api.tryOut(plan, signal).finally(release);
  if (!tried.ok) return lookFailed(tried.failure);
  wantAsTried(entry, plan, tried.value, runtime.clock.monotonic());
  return undefined;
}

/** What was tried out is wanted from now on. `now`: by the clock that never jumps. */
export function wantAsTried(entry: ResourceEntry, plan: ResourcePlan, tried: Tried, now: number): void {
  const filled = initialisedIn(plan, baselineOf(plan, tried));
  entry.initialised = new Map([...filled].map(([path, value]) => [path, knownOf(entry, plan, path) ?? value]));
  want(entry, baselineOf(plan, tried, entry.initialised), now);
}

/** The reply says what is wanted of what was made by the apply alone; of anything else it may say what others have added. */
export function wantedBy(plan: ResourcePlan, { object, isNew }: Applied): Projection | undefined {
  return isNew ? project(object, plan.manifest, plan.shape, plan.structure) : undefined;
}

/**
 * What the API server filled in when it was made, and would fill in otherwise now: an address, a port. What somebody owns
 * is none of the server's doing.
 */
function knownOf(entry: ResourceEntry, plan: ResourcePlan, path: string): Json | undefined {
  const object = foundOf(entry)?.object;
  const known = entry.initialised.get(path);
  if (known !== undefined || object === undefined) return known;
  if (rivalOf(object, { path, is: 'changed' }, plan.owner) !== undefined) return undefined;
  return project(object, plan.manifest, plan.shape, plan.structure).fields.get(path);
}
