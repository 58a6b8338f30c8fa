import type { ResourceEvent } from '../../../machines/observer/resource.ts';
import { baselineOf, initialisedIn } from '../drift/baseline.ts';
import { conflictingManagerOf } from '../drift/conflictingManager.ts';
import { project } from '../drift/project.ts';
import { effectivePlan } from '../entries/comparison.ts';
import { rejectionOf } from '../entries/desired.ts';
import type { ResourceEntry } from '../entries/entries.ts';
import { foundOf, type Live } from '../entries/live.ts';
import { recordBaseline, recordRefused } from '../entries/transitions.ts';
import type { Json } from '../objects/identity.ts';
import type { DryRun, ResourcePlan } from '../plan/resourceApi.ts';
import type { ObserverEffects } from '../streams/observerEffects.ts';
import { effectFailed, stillRejected } from './failureEvents.ts';

/**
 * Determines the desired state by a dry run if it is unknown: after a restart of weeder, and after an apply to an
 * existing object. Returns undefined if the desired state is known.
 */
export async function findBaseline(
  { runtime, api, dryRuns }: Pick<ObserverEffects, 'runtime' | 'api' | 'dryRuns'>,
  entry: ResourceEntry,
  signal: AbortSignal,
): Promise<ResourceEvent | undefined> {
  const plan = effectivePlan(entry);
  if (entry.live.baseline !== undefined || plan === undefined) return undefined;
  const rejected = rejectionOf(entry.desired, 'dryRun', runtime.clock.monotonic());
  if (rejected !== undefined) return stillRejected(rejected, runtime.clock.monotonic());
  const release = await dryRuns.acquire(entry.application.id, plan.target.apiVersion, signal);
  const dryRun = await api.dryRunApply(plan, signal).finally(release);
  if (!dryRun.ok) {
    const event = effectFailed(dryRun.failure);
    const refused = { of: 'dryRun', failure: dryRun.failure, drifts: [] } as const;
    if (event.type === 'effect.rejected') recordRefused(entry, plan, refused, runtime.clock.monotonic());
    return event;
  }
  recordDryRunBaseline(entry, plan, dryRun.value, runtime.clock.monotonic());
  return undefined;
}

/** Makes the result of a dry run the desired state. `now`: by the monotonic clock. */
export function recordDryRunBaseline(entry: ResourceEntry, plan: ResourcePlan, dryRun: DryRun, now: number): void {
  const filled = initialisedIn(plan, baselineOf(plan, dryRun));
  const values = [...filled].map(([path, value]) => [path, defaultedValue(entry.live, plan, path) ?? value] as const);
  const initialised = new Map([...retainedDefaults(entry.live, plan, dryRun, filled), ...values]);
  recordBaseline(entry, baselineOf(plan, dryRun, initialised), now, initialised);
}

/**
 * Retains known defaults of fields that another manager owns now: the dry run does not show the server's value for
 * them.
 */
function retainedDefaults(
  { initialised }: Live,
  plan: ResourcePlan,
  { object }: DryRun,
  filled: ReadonlyMap<string, Json>,
) {
  const others = [...initialised].filter(([path]) => !filled.has(path));
  if (others.length === 0) return [];
  const present = initialisedIn(plan, project(object, plan.manifest, plan.mask, plan.topology));
  return others.filter(([path]) => present.has(path));
}

/**
 * Returns the value that the API server filled in at creation and would fill in differently now, such as an address or
 * a port. A value that another manager owns is not from the API server.
 */
function defaultedValue(live: Live, plan: ResourcePlan, path: string): Json | undefined {
  const object = foundOf(live)?.object;
  const initialised = live.initialised.get(path);
  if (initialised !== undefined || object === undefined) return initialised;
  if (conflictingManagerOf(object, { path, type: 'changed' }, plan.owner) !== undefined) return undefined;
  return project(object, plan.manifest, plan.mask, plan.topology).fields.get(path);
}
