import type { ResourceEvent } from '../../../machines/observer/resource.ts';
import { baselineOf, initialisedIn } from '../drift/baseline.ts';
import { project } from '../drift/project.ts';
import { rivalOf } from '../drift/rival.ts';
import type { ObserverEffects } from '../effects/observerEffects.ts';
import type { Json } from '../model/identity.ts';
import type { Projection } from '../model/projection.ts';
import type { Applied, ResourcePlan, Tried } from '../plan/resourceApi.ts';
import { foundOf, type ResourceEntry } from '../state/entries.ts';
import { planInForce, want } from '../state/hear.ts';
import { lookFailed } from './writeRefused.ts';

/**
 * Finds out what is wanted, where that is not known: after a restart, and after an apply to what was there before. What
 * the API server makes of the manifest says it. Undefined: it is known now.
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

/** What was tried out is wanted from now on. `now`: by the monotonic clock. */
export function wantAsTried(entry: ResourceEntry, plan: ResourcePlan, tried: Tried, now: number): void {
  const filled = initialisedIn(plan, baselineOf(plan, tried));
  const found = [...filled].map(([path, value]) => [path, knownOf(entry, plan, path) ?? value] as const);
  entry.initialised = new Map([...stillKnown(entry, plan, tried, filled), ...found]);
  want(entry, baselineOf(plan, tried, entry.initialised), now);
}

/** What is known stays known where somebody else has the field by now: the trial says nothing of the server's value. */
function stillKnown(entry: ResourceEntry, plan: ResourcePlan, { object }: Tried, filled: ReadonlyMap<string, Json>) {
  const others = [...entry.initialised].filter(([path]) => !filled.has(path));
  if (others.length === 0) return [];
  const there = initialisedIn(plan, project(object, plan.manifest, plan.shape, plan.structure));
  return others.filter(([path]) => there.has(path));
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
