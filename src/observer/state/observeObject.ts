import { isObject, type JsonObject, objectOf, textOf } from '../../base/json.ts';
import { isAtLeast } from '../../kube/objects/resourceVersion.ts';
import { compare } from '../drift/compare.ts';
import { project } from '../drift/project.ts';
import { labelName, labelPath } from '../model/fieldManagers.ts';
import type { Drift, Projection } from '../model/projection.ts';
import { isPartialApply } from '../ownership/removedFields.ts';
import type { ResourcePlan } from '../plan/resourceApi.ts';
import { type Compared, type Found, foundOf, type ResourceEntry } from './entries.ts';
import { yieldReplicas } from './yieldReplicas.ts';

/**
 * Takes in an object as it is: from a stream, a GET, or the reply to an apply. False: it is older than what is known, or
 * than what weeder has written itself, and so no news. `now`: by the monotonic clock.
 */
export function observeObject(entry: ResourceEntry, object: JsonObject, now: number): boolean {
  const found = readFound(object);
  if (found === undefined || isStale(entry, found)) return false;
  entry.found = found;
  compareLive(entry, now);
  return true;
}

/** What is desired is this from now on. */
export function setBaseline(entry: ResourceEntry, baseline: Projection, now: number): void {
  entry.baseline = baseline;
  recompare(entry, now);
}

/** What is desired is something else than when the object was heard of. */
export function recompare(entry: ResourceEntry, now: number): void {
  // Of what was in sync with another baseline nothing was kept.
  if (foundOf(entry)?.object === undefined && foundOf(entry) !== undefined) entry.found = 'unknown';
  compareLive(entry, now);
}

/** Everything observed is as it is desired, and the object is there to stay. */
export function isInSync(entry: ResourceEntry): boolean {
  const found = foundOf(entry);
  return found !== undefined && !found.isTerminating && entry.baseline !== undefined && entry.drifts.length === 0;
}

/** Whether its manifest still has to be applied. */
export function needsApply({ application, plan, appliedHash }: ResourceEntry): boolean {
  return !application.isDetectOnly && plan !== undefined && plan.hash !== appliedHash;
}

/** The label of the application that has it, where that is another one. */
export function foreignOwnerOf(entry: ResourceEntry): string | undefined {
  const label = foundOf(entry)?.label;
  return label === entry.application.owner.label || label === entry.staleLabel ? undefined : label;
}

/** Whether the label that it has now is no application's. `now`: by the monotonic clock. */
export function setStaleClaim(entry: ResourceEntry, isAbandoned: boolean, now: number): void {
  entry.staleLabel = isAbandoned ? foundOf(entry)?.label : undefined;
  compareLive(entry, now);
}

/** What is compared and corrected: not what is yet to be applied, but what was before, where that is kept. */
export function effectivePlan(entry: ResourceEntry): ResourcePlan | undefined {
  return entry.lastKnownGood?.plan ?? (needsApply(entry) ? undefined : entry.plan);
}

/** Compares what was heard last with what is desired now. */
export function compareLive(entry: ResourceEntry, now: number): void {
  const found = foundOf(entry);
  if (found === undefined) entry.drifts = [];
  if (found?.object === undefined || entry.plan === undefined) return;
  yieldReplicas(entry, found.object);
  const { baseline } = entry;
  const plan = effectivePlan(entry);
  // What is desired belongs to the manifest of before: it is compared again when the new one is applied, or refused.
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

/** A comparison of thousands of fields takes a while: it is made once for each version of the object and of what is desired. */
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
 * Whose it is is always observed, where it was ever said. An object that somebody put in the place of the applied one is
 * not applied, whatever label it has: until it is, nothing proves that it may be deleted with its application.
 */
function labelDrift(entry: ResourceEntry, { label, uid }: Found): Drift[] {
  const { application, appliedHash, appliedUid } = entry;
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
