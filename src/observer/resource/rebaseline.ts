import { updatedBaseline } from '../drift/baseline.ts';
import { compare } from '../drift/compare.ts';
import { memoryOf, type ResourceEntry } from '../entries/entries.ts';
import { isInSync } from '../entries/live.ts';
import { recordBaseline } from '../entries/transitions.ts';
import { labelPath } from '../objects/fieldManagers.ts';
import type { Projection } from '../objects/projection.ts';
import type { ResourcePlan } from '../plan/resourceApi.ts';
import type { ObserverEffects } from '../streams/observerEffects.ts';
import { aboutOf } from './reportResource.ts';

/** What a resource is compared with. */
interface Comparison {
  readonly plan: ResourcePlan;
  readonly baseline: Projection;
}

/**
 * Rebaselines a resource by a dry run: admission and defaults can change, and no stream reports that. If the result
 * differs from the baseline, it becomes the baseline, and differences are drift like any other. This is done only for
 * resources that are in sync. A dry run that fails changes nothing.
 */
export async function rebaseline(effects: ObserverEffects, entry: ResourceEntry, signal: AbortSignal): Promise<void> {
  const { plan } = entry.desired;
  if (plan === undefined || comparisonOf(entry) === undefined) return;
  const release = await effects.rebaselines.acquire(entry.application.id, plan.target.apiVersion, signal);
  try {
    const comparison = comparisonOf(entry);
    if (comparison !== undefined) await rebaselineOnce(effects, entry, comparison, signal);
  } finally {
    release?.();
  }
}

async function rebaselineOnce(
  effects: ObserverEffects,
  entry: ResourceEntry,
  { plan, baseline }: Comparison,
  signal: AbortSignal,
): Promise<void> {
  const dryRun = () => dryRunBaseline(effects, entry, { plan, baseline }, signal);
  const first = await dryRun();
  if (first === undefined || differing(baseline, first).length === 0) return;
  // A value that differs each time, such as a random name, is not a change.
  const second = await dryRun();
  if (second === undefined || differing(first, second).length > 0) return;
  const now = comparisonOf(entry);
  if (now?.plan !== plan || now.baseline !== baseline) return;
  const paths = differing(baseline, second);
  // The values of fields that admission mutates are from the response to an apply: a dry run of a new object cannot
  // show them.
  if (paths.some((path) => memoryOf(entry.actor).mutatedByAdmission.includes(path))) return;
  recordBaseline(entry, second, effects.runtime.clock.monotonic());
  effects.report({ type: 'resource.desiredStateChanged', ...aboutOf(entry), paths });
  entry.actor.send({ type: 'resync.due' });
}

/** The paths that differ, without the ownership label. */
function differing(one: Projection, other: Projection): readonly string[] {
  return compare(one, other).flatMap(({ path }) => (path === labelPath ? [] : path));
}

/** Returns undefined if the resource is not in sync, or if a request about it is in flight. */
function comparisonOf(entry: ResourceEntry): Comparison | undefined {
  const { plan } = entry.desired;
  const { baseline } = entry.live;
  if (plan === undefined || baseline === undefined || !isInSync(entry.live)) return undefined;
  return entry.actor.getSnapshot().value === 'inSync' ? { plan, baseline } : undefined;
}

async function dryRunBaseline(
  { api }: ObserverEffects,
  { live }: ResourceEntry,
  { plan, baseline }: Comparison,
  signal: AbortSignal,
): Promise<Projection | undefined> {
  const outcome = await api.dryRunAgain(plan, signal);
  return outcome.ok ? updatedBaseline(plan, baseline, outcome.value, live.initialised) : undefined;
}
