import type { JsonObject } from '@weeder/kube-runtime/base';
import { isAtLeast, oldestVersion } from '@weeder/kube-runtime/objects';
import { initialisedIn } from '../drift/baseline.ts';
import { project } from '../drift/project.ts';
import type { ApplyFailure } from '../objects/applyFailure.ts';
import type { Drift, Projection } from '../objects/projection.ts';
import type { Applied, ResourcePlan } from '../plan/resourceApi.ts';
import { afterComparison } from './comparison.ts';
import {
  afterSuccess,
  type Desired,
  lastKnownGoodAfter,
  type Rejection,
  withoutExpired,
  withRejection,
} from './desired.ts';
import { memoryOf, type ResourceEntry } from './entries.ts';
import { afterRead, foundOf } from './live.ts';
import { yieldReplicas } from './yieldReplicas.ts';

// The only writer of what is desired of a resource and of what is known of its object. `now` is by the monotonic clock.

/** The number of corrections that are retained for each resource. */
const maxCorrections = 20;
/** The number of drifts of each of them, and of an object that is not retained: as many as the status shows. */
const maxDrifts = 20;

/**
 * Records an object from a stream, a GET or the response to an apply, and compares it. `object` is undefined if a GET has
 * not found it. Returns false if it is older than the known version or than weeder's own last write.
 */
export function observeObject(entry: ResourceEntry, object: JsonObject | undefined, now: number): boolean {
  const live = object === undefined ? { ...entry.live, found: 'missing' as const } : afterRead(entry.live, object);
  if (live === undefined) return false;
  entry.live = live;
  if (object !== undefined) compareLive(entry, now);
  entry.application.keptObjects.observed(entry);
  return true;
}

/** Drops the object, which is read again before a write, and most of what differs. */
export function dropObject(entry: ResourceEntry): void {
  const { found, drifts } = entry.live;
  if (typeof found !== 'object') return;
  const dropped = { ...found, object: undefined, compared: undefined };
  entry.live = { ...entry.live, found: dropped, drifts: drifts.slice(0, maxDrifts) };
}

/** Compares the last observed version of the object with the desired state. */
export function compareLive(entry: ResourceEntry, now: number): void {
  const object = foundOf(entry.live)?.object;
  const applier = { owner: entry.application.owner, appliedHash: memoryOf(entry.actor).appliedHash };
  const desired = object === undefined ? entry.desired : yieldReplicas(entry.desired, object, applier);
  if (desired !== entry.desired) entry.live = { ...entry.live, baseline: undefined };
  entry.desired = desired;
  entry.live = afterComparison(entry, now);
}

/** Compares again after the desired state has changed. */
function recompare(entry: ResourceEntry, now: number): void {
  const liveObject = foundOf(entry.live);
  // Objects in sync are not stored, so the object has to be read again.
  if (liveObject !== undefined && liveObject.object === undefined) entry.live = { ...entry.live, found: 'unknown' };
  compareLive(entry, now);
}

/** Records that the object has to be read. `lost`: it has changed since a write was decided on. */
export function forgetObject(entry: ResourceEntry, found: 'unknown' | 'lost'): void {
  entry.live = { ...entry.live, found };
}

/**
 * Records that the object left its stream: it was deleted or lost its label. Returns false if weeder has written a newer
 * version.
 */
export function recordLost(entry: ResourceEntry, version: string | undefined, now: number): boolean {
  if (!isAtLeast(version, entry.live.writtenVersion)) return false;
  entry.live = { ...entry.live, found: 'lost', driftedAt: entry.live.driftedAt ?? now };
  return true;
}

/** Records that resourceVersions are lower from now on. */
export function recordRewound(entry: ResourceEntry): void {
  const { found } = entry.live;
  const rewound = typeof found === 'object' ? { ...found, resourceVersion: oldestVersion } : found;
  entry.live = { ...entry.live, writtenVersion: undefined, settled: undefined, found: rewound };
}

/** Records whether the object's current label belongs to no application. */
export function recordStaleClaim(entry: ResourceEntry, isClaimStale: boolean, now: number): void {
  entry.live = { ...entry.live, staleLabel: isClaimStale ? foundOf(entry.live)?.label : undefined };
  compareLive(entry, now);
}

/** Sets the desired state, and compares the live object with it. */
export function recordBaseline(
  entry: ResourceEntry,
  baseline: Projection,
  now: number,
  initialised = entry.live.initialised,
): void {
  entry.live = { ...entry.live, baseline, initialised };
  recompare(entry, now);
}

/** A successful write. */
interface Write {
  readonly plan: ResourcePlan;
  readonly of: Rejection['of'];
  readonly applied: Applied;
  /** The drifts that it has corrected; undefined if it has applied the manifest. */
  readonly corrected: readonly Drift[] | undefined;
  /** Admission has changed the corrected fields back: their values are accepted as the baseline. */
  readonly isMutated: boolean;
}

/** Records the response to a write. `at`: epoch milliseconds. */
export function recordWritten(
  entry: ResourceEntry,
  { plan, of, applied, corrected, isMutated }: Write,
  now: number,
  at: number,
): void {
  const { object, isNew, hasChanged, refused } = applied;
  if (refused === undefined) entry.desired = afterSuccess(entry.desired, of, now);
  else entry.desired = withRejection(entry.desired, of, refused.failure, refused.drifts, now);
  // The response to an update may contain fields of other clients.
  const isBaseline = isMutated || (corrected === undefined && isNew);
  const observed = isBaseline ? project(object, plan.manifest, plan.mask, plan.topology) : undefined;
  if (corrected === undefined) {
    const initialised = observed === undefined ? entry.live.initialised : initialisedIn(plan, observed);
    entry.desired = { ...entry.desired, appliedPlan: plan };
    entry.live = { ...entry.live, baseline: observed, initialised };
  }
  recordResponse(entry, object, now);
  if (corrected !== undefined && observed !== undefined) recordBaseline(entry, observed, now);
  if (corrected === undefined || !hasChanged) return;
  const { conflictingManager } = memoryOf(entry.actor);
  const corrections = [...entry.live.corrections, { at, drifts: corrected.slice(0, maxDrifts), conflictingManager }];
  entry.live = { ...entry.live, corrections: corrections.slice(-maxCorrections) };
}

/** Records the response as the newest known version, whatever older version the stream reports later. */
function recordResponse(entry: ResourceEntry, object: JsonObject, now: number): void {
  const isNewest = observeObject(entry, object, now);
  const writtenVersion = foundOf(entry.live)?.resourceVersion ?? entry.live.writtenVersion;
  entry.live = { ...entry.live, writtenVersion };
  // The stream has reported a newer version before this response, which was compared with the old baseline.
  if (!isNewest) recompare(entry, now);
}

/** Records the plan of a manifest. */
export function recordPlan(entry: ResourceEntry, desired: Desired): void {
  const { plan, lastKnownGood } = desired;
  const isSame = plan?.hash === entry.desired.plan?.hash;
  const isOfBaseline = plan?.hash === memoryOf(entry.actor).appliedHash || lastKnownGood !== undefined;
  const { digest } = entry.desired.plan?.topology ?? {};
  const isRedefined = plan !== undefined && digest !== undefined && plan.topology.digest !== digest;
  // In mode detect no apply replaces the baseline.
  const isOutdated = entry.application.isDetectOnly && plan !== undefined && !(isSame && isOfBaseline);
  if (isRedefined || isOutdated) entry.live = { ...entry.live, baseline: undefined };
  entry.desired = desired;
}

/** A write that has failed. */
export interface FailedWrite {
  readonly of: Rejection['of'];
  readonly failure: ApplyFailure;
  /** The drifts that it was to correct. */
  readonly drifts: readonly Drift[];
}

/**
 * Records that a request is refused permanently. Returns true if that falls back to the last applied plan, which is
 * compared and corrected from now on.
 */
export function recordRefused(
  entry: ResourceEntry,
  plan: ResourcePlan,
  { of, failure, drifts }: FailedWrite,
  now: number,
): boolean {
  const lastKnownGood = lastKnownGoodAfter(entry.desired, memoryOf(entry.actor).appliedHash, plan, failure, now);
  if (of === 'dryRun' || lastKnownGood === undefined) {
    entry.desired = withRejection(entry.desired, of, failure, drifts, now);
    return false;
  }
  entry.desired = { ...entry.desired, lastKnownGood };
  if (entry.live.baseline !== undefined) recompare(entry, now);
  return true;
}

/** Drops the last known good plan once the current manifest is due to be retried. */
export function expireLastKnownGood(entry: ResourceEntry, now: number): void {
  if (!entry.application.isDetectOnly) entry.desired = withoutExpired(entry.desired, now);
}

/** Forgets a refusal that no longer counts. */
export function forgetRefusal(entry: ResourceEntry, of: 'lastKnownGood' | 'retriedRefusal' | 'rejection'): void {
  entry.desired = { ...entry.desired, [of]: undefined };
}
