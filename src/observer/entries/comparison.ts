import type { JsonObject } from '@weeder/kube-runtime/base';
import { compare } from '../drift/compare.ts';
import { project } from '../drift/project.ts';
import { labelPath } from '../objects/fieldManagers.ts';
import type { Drift, Projection } from '../objects/projection.ts';
import { isPartialApply } from '../ownership/removedFields.ts';
import type { ResourcePlan } from '../plan/resourceApi.ts';
import { memoryOf, type ResourceEntry } from './entries.ts';
import { type Found, foundOf, type Live } from './live.ts';

/** Returns true if its manifest still has to be applied. */
export function needsApply({ application, desired: { plan }, actor }: ResourceEntry): boolean {
  return !application.isDetectOnly && plan !== undefined && plan.hash !== memoryOf(actor).appliedHash;
}

/** Returns the label of the other application that owns the object, if any. */
export function foreignOwnerOf({ application, live }: ResourceEntry): string | undefined {
  const label = foundOf(live)?.label;
  return label === application.owner.label || label === live.staleLabel ? undefined : label;
}

/**
 * Returns the plan that is compared and corrected: the last known good one while the current one is refused. Undefined
 * if the current one is still to be applied.
 */
export function effectivePlan(entry: ResourceEntry): ResourcePlan | undefined {
  const { lastKnownGood, plan } = entry.desired;
  return lastKnownGood?.plan ?? (needsApply(entry) ? undefined : plan);
}

/** Compares the last observed version of the object with the desired state. `now`: by the monotonic clock. */
export function afterComparison(entry: ResourceEntry, now: number): Live {
  const { live, application } = entry;
  const { baseline } = live;
  const liveObject = foundOf(live);
  if (liveObject === undefined) return { ...live, drifts: [] };
  const plan = effectivePlan(entry);
  // The baseline belongs to the previous manifest. The object is compared again when the new manifest is applied or
  // refused.
  if (liveObject.object === undefined || baseline === undefined || plan === undefined) return live;
  // A comparison of thousands of fields takes a while, so it is made once for each version of the object and of the
  // desired state.
  const { uid, resourceVersion } = liveObject;
  const version = { uid, resourceVersion, hash: plan.hash, baseline };
  const isKnown = liveObject.compared?.plan === plan && liveObject.compared.baseline === baseline;
  const others = isKnown ? liveObject.compared.drifts : driftsOf(entry, plan, baseline, liveObject.object);
  if (others.length > 0 && isSameVersion(live.settled, version)) return { ...live, baseline: undefined, drifts: [] };
  const drifts = [...labelDrift(entry, liveObject), ...others];
  const compared = { plan, baseline, drifts: others };
  if (drifts.length > 0)
    return { ...live, found: { ...liveObject, compared }, drifts, driftedAt: live.driftedAt ?? now };
  const isSettled = liveObject.label === application.owner.label && !liveObject.isTerminating;
  const kept = isSettled ? { object: undefined, compared: undefined } : { compared };
  return { ...live, found: { ...liveObject, ...kept }, drifts, settled: version, driftedAt: undefined };
}

/**
 * No client has changed this version of the object, so its schema has changed, and has other defaults: the baseline is
 * outdated.
 */
function isSameVersion(one: Live['settled'], { uid, resourceVersion, hash, baseline }: NonNullable<Live['settled']>) {
  const isSameObject = one?.uid === uid && one.resourceVersion === resourceVersion;
  return isSameObject && one.hash === hash && one.baseline === baseline;
}

function driftsOf(
  { desired, application }: ResourceEntry,
  { manifest, mask, topology }: ResourcePlan,
  baseline: Projection,
  object: JsonObject,
): readonly Drift[] {
  const drifts = compare(baseline, project(object, manifest, mask, topology));
  const others = drifts.filter(({ path }) => path !== labelPath);
  return desired.lastKnownGood === undefined
    ? others
    : others.filter((drift) => !isPartialApply(object, drift, application.owner));
}

/**
 * The ownership label is always observed once something was applied. An object that replaced the applied one counts as
 * not applied, whatever its label: until it is, nothing proves that it may be deleted with its application.
 */
function labelDrift(entry: ResourceEntry, { label, uid }: Found): Drift[] {
  const { application } = entry;
  const { appliedHash, appliedUid } = memoryOf(entry.actor);
  if (application.isDetectOnly || appliedHash === undefined || foreignOwnerOf(entry) !== undefined) return [];
  if (label === application.owner.label && uid === appliedUid) return [];
  return [{ path: labelPath, desired: application.owner.label, found: undefined, type: 'missing' }];
}
