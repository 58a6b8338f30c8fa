import { updatedBaseline } from '../drift/baseline.ts';
import { compare } from '../drift/compare.ts';
import type { ObserverEffects } from '../effects/observerEffects.ts';
import { labelPath } from '../model/fieldManagers.ts';
import type { Projection } from '../model/projection.ts';
import type { ResourcePlan } from '../plan/resourceApi.ts';
import type { ResourceEntry } from '../state/entries.ts';
import { isInSync, setBaseline } from '../state/observeObject.ts';
import { aboutOf } from './reportResource.ts';

/** What a resource is compared with. */
interface Comparison {
  readonly plan: ResourcePlan;
  readonly baseline: Projection;
}

/**
 * Re-baselines a resource by a dry run: admission and defaults can change, and no stream reports that. If the dry run
 * gives another result than the baseline, that becomes the baseline, and differences are drift like any other. Only for
 * resources that are in sync; a dry run that fails changes nothing.
 */
export async function rebaseline(effects: ObserverEffects, entry: ResourceEntry, signal: AbortSignal): Promise<void> {
  const { plan } = entry;
  if (plan === undefined || comparisonOf(entry) === undefined) return;
  const release = await effects.rebaselines.acquire(entry.application.id, plan.target.apiVersion, signal);
  try {
    const standing = comparisonOf(entry);
    if (standing !== undefined) await rebaselineOnce(effects, entry, standing, signal);
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
  const ask = () => dryRunBaseline(effects, entry, { plan, baseline }, signal);
  const once = await ask();
  if (once === undefined || differing(baseline, once).length === 0) return;
  // A value that is different each time, such as a random name, is no change.
  const twice = await ask();
  if (twice === undefined || differing(once, twice).length > 0) return;
  const now = comparisonOf(entry);
  if (now?.plan !== plan || now.baseline !== baseline) return;
  const paths = differing(baseline, twice);
  // Fields that admission changes are taken from the reply of an apply, which a dry run of a new object cannot show.
  if (paths.some((path) => entry.mutatedByAdmission.includes(path))) return;
  setBaseline(entry, twice, effects.runtime.clock.monotonic());
  effects.report({ type: 'resource.desiredStateChanged', ...aboutOf(entry), paths });
  entry.actor?.send({ type: 'resync.due' });
}

/** The paths that differ, without the ownership label. */
function differing(one: Projection, other: Projection): readonly string[] {
  return compare(one, other).flatMap(({ path }) => (path === labelPath ? [] : path));
}

/** Undefined if the resource is not in sync, or a request about it is under way. */
function comparisonOf(entry: ResourceEntry): Comparison | undefined {
  const { plan, baseline, actor } = entry;
  if (plan === undefined || baseline === undefined || !isInSync(entry)) return undefined;
  return actor?.getSnapshot().value === 'inSync' ? { plan, baseline } : undefined;
}

async function dryRunBaseline(
  { api }: ObserverEffects,
  { initialised }: ResourceEntry,
  { plan, baseline }: Comparison,
  signal: AbortSignal,
): Promise<Projection | undefined> {
  const tried = await api.dryRunAgain(plan, signal);
  return tried.ok ? updatedBaseline(plan, baseline, tried.value, initialised) : undefined;
}
