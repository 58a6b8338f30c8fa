import { isObject, type JsonObject, objectOf, textOf } from '../../base/json.ts';
import { isAtLeast } from '../../kube/objects/resourceVersion.ts';
import { compare } from '../drift/compare.ts';
import { project } from '../drift/project.ts';
import { labelName, labelPath } from '../model/fieldManagers.ts';
import type { Drift, Projection } from '../model/projection.ts';
import { isPartialApply } from '../ownership/removedFields.ts';
import type { ResourcePlan } from '../plan/resourceApi.ts';
import { type Compared, type Found, foundOf, memoryOf, type ResourceEntry } from './entries.ts';
import { yieldReplicas } from './yieldReplicas.ts';

/**
 * Records an object from a stream, a GET or the response to an apply, and compares it. Returns false if it is older
 * than the known version or than weeder's own last write. `now`: by the monotonic clock.
 */
export function observeObject(entry: ResourceEntry, object: JsonObject, now: number): boolean {
  const found = readFound(object);
  if (found === undefined || isStale(entry, found)) return false;
  entry.found = found;
  compareLive(entry, now);
  return true;
}

/** Sets the desired state, and compares the live object with it. */
export function setBaseline(entry: ResourceEntry, baseline: Projection, now: number): void {
  entry.baseline = baseline;
  recompare(entry, now);
}

/** Compares again after the desired state has changed. */
export function recompare(entry: ResourceEntry, now: number): void {
  // Objects in sync are not stored, so the object has to be read again.
  if (foundOf(entry)?.object === undefined && foundOf(entry) !== undefined) entry.found = 'unknown';
  compareLive(entry, now);
}

/** Returns true if every observed field is in the desired state, and the object is not being deleted. */
export function isInSync(entry: ResourceEntry): boolean {
  const found = foundOf(entry);
  return found !== undefined && !found.isTerminating && entry.baseline !== undefined && entry.drifts.length === 0;
}

/** Returns true if its manifest still has to be applied. */
export function needsApply(entry: ResourceEntry): boolean {
  const { application, plan } = entry;
  return !application.isDetectOnly && plan !== undefined && plan.hash !== memoryOf(entry).appliedHash;
}

/** Returns the label of the other application that owns the object, if any. */
export function foreignOwnerOf(entry: ResourceEntry): string | undefined {
  const label = foundOf(entry)?.label;
  return label === entry.application.owner.label || label === entry.staleLabel ? undefined : label;
}

/** Records whether the object's current label belongs to no application. `now`: by the monotonic clock. */
export function setStaleClaim(entry: ResourceEntry, isClaimStale: boolean, now: number): void {
  entry.staleLabel = isClaimStale ? foundOf(entry)?.label : undefined;
  compareLive(entry, now);
}

/**
 * Returns the plan that is compared and corrected: the last known good one while the current one is refused. Undefined
 * if the current one is still to be applied.
 */
export function effectivePlan(entry: ResourceEntry): ResourcePlan | undefined {
  return entry.lastKnownGood?.plan ?? (needsApply(entry) ? undefined : entry.plan);
}

/** Compares the last observed version of the object with the desired state. */
export function compareLive(entry: ResourceEntry, now: number): void {
  const found = foundOf(entry);
  if (found === undefined) entry.drifts = [];
  if (found?.object === undefined || entry.plan === undefined) return;
  yieldReplicas(entry, found.object);
  const { baseline } = entry;
  const plan = effectivePlan(entry);
  // The baseline belongs to the previous manifest. The object is compared again when the new manifest is applied or
  // refused.
  if (baseline === undefined || plan === undefined) return;
  const compared = compareOnce(entry, plan, baseline, found.compared, found.object);
  entry.found = { ...found, compared };
  entry.drifts = [...labelDrift(entry, found), ...compared.drifts];
  if (entry.drifts.length > 0) {
    entry.driftedAt ??= now;
    return;
  }
  entry.driftedAt = undefined;
  const isOurs = found.label === entry.application.owner.label;
  if (!isOurs || found.isTerminating) return;
  entry.found = { ...found, object: undefined, compared: undefined };
}

/**
 * A comparison of thousands of fields takes a while, so it is made once for each version of the object and of the
 * desired state.
 */
function compareOnce(
  entry: ResourceEntry,
  plan: ResourcePlan,
  baseline: Projection,
  compared: Compared | undefined,
  object: JsonObject,
): Compared {
  if (compared?.plan === plan && compared.baseline === baseline) return compared;
  return { plan, baseline, drifts: driftsOf(entry, plan, baseline, object) };
}

function driftsOf(
  { lastKnownGood, application }: ResourceEntry,
  { manifest, mask, topology }: ResourcePlan,
  baseline: Projection,
  object: JsonObject,
): readonly Drift[] {
  const drifts = compare(baseline, project(object, manifest, mask, topology));
  const others = drifts.filter(({ path }) => path !== labelPath);
  return lastKnownGood === undefined
    ? others
    : others.filter((drift) => !isPartialApply(object, drift, application.owner));
}

/**
 * The ownership label is always observed once something was applied. An object that replaced the applied one counts as
 * not applied, whatever its label: until it is, nothing proves that it may be deleted with its application.
 */
function labelDrift(entry: ResourceEntry, { label, uid }: Found): Drift[] {
  const { application } = entry;
  const { appliedHash, appliedUid } = memoryOf(entry);
  if (application.isDetectOnly || appliedHash === undefined || foreignOwnerOf(entry) !== undefined) return [];
  if (label === application.owner.label && uid === appliedUid) return [];
  return [{ path: labelPath, desired: application.owner.label, found: undefined, is: 'missing' }];
}

function isStale(entry: ResourceEntry, { uid, resourceVersion }: Found): boolean {
  const known = foundOf(entry);
  if (!isAtLeast(resourceVersion, entry.writtenVersion)) return true;
  return known?.uid === uid && !isAtLeast(resourceVersion, known.resourceVersion);
}

function readFound(object: JsonObject): Found | undefined {
  const { uid, resourceVersion, deletionTimestamp, labels } = objectOf(object['metadata']);
  const [its, version] = [textOf(uid), textOf(resourceVersion)];
  if (its === undefined || version === undefined) return undefined;
  return {
    uid: its,
    resourceVersion: version,
    isTerminating: textOf(deletionTimestamp) !== undefined,
    label: isObject(labels) ? textOf(labels[labelName]) : undefined,
    object,
    compared: undefined,
  };
}
