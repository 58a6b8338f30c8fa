import { objectOf, textOf } from '@weeder/kube-runtime/base';
import type { ResourceEvent } from '../../../machines/observer/resource.ts';
import { conflictingManagerOf } from '../drift/conflictingManager.ts';
import { correctionKey, missingKey } from '../drift/correctionKey.ts';
import { isAccessProven } from '../entries/access.ts';
import { effectivePlan, foreignOwnerOf } from '../entries/comparison.ts';
import { rejectionOf, retryDelayOf, splitDrifts } from '../entries/desired.ts';
import type { ResourceEntry } from '../entries/entries.ts';
import { foundOf } from '../entries/live.ts';
import {
  compareLive,
  expireLastKnownGood,
  forgetRefusal,
  observeObject,
  recordStaleClaim,
} from '../entries/transitions.ts';
import type { ApplyFailure } from '../objects/applyFailure.ts';
import { annotationName } from '../objects/fieldManagers.ts';
import type { ResourcePlan } from '../plan/resourceApi.ts';
import type { ObserverEffects } from '../streams/observerEffects.ts';
import { effectFailed, stillRejected, unverified } from './failureEvents.ts';
import { findBaseline } from './findBaseline.ts';
import { isCorrection, pendingMaintenance } from './maintenance.ts';

/**
 * Compares a resource with its desired state, by the last report of its stream, or by a GET where no stream is
 * reliable. First verifies that the ServiceAccount may see the object. Returns a function that makes the comparison
 * when its event is sent, so that no update in between is missed.
 */
export async function checkResource(
  effects: ObserverEffects,
  entry: ResourceEntry,
  signal: AbortSignal,
): Promise<() => ResourceEvent> {
  const unknown = await gatherState(effects, entry, signal);
  return () => unknown ?? evaluate(effects, entry);
}

/** Determines the live object and the baseline. Returns undefined if both are known. */
async function gatherState(
  effects: ObserverEffects,
  entry: ResourceEntry,
  signal: AbortSignal,
): Promise<ResourceEvent | undefined> {
  const { plan } = entry.desired;
  if (plan === undefined) return withoutPlan(effects, entry, signal);
  if (!isAccessProven(entry, effects.runtime.clock.monotonic())) {
    const verified = await effects.access.verify(entry, plan.target, signal);
    if (!verified.ok) return unverified(verified.failure);
  }
  expireLastKnownGood(entry, effects.runtime.clock.monotonic());
  const unknown = (await findBaseline(effects, entry, signal)) ?? (await findObject(effects, entry, plan, signal));
  if (unknown === undefined && isLabelledByOther(entry)) await findClaimant(effects, entry);
  return unknown;
}

/** An object with the label of an application that does not exist has no owner, and is compared like any other. */
async function findClaimant({ claims, runtime }: ObserverEffects, entry: ResourceEntry): Promise<void> {
  const liveObject = foundOf(entry.live);
  if (liveObject?.object === undefined) return;
  const isStale = await claims.isStale(liveObject.object);
  // A newer version that has arrived in the meantime is checked again.
  if (foundOf(entry.live)?.label === liveObject.label) recordStaleClaim(entry, isStale, runtime.clock.monotonic());
}

function isLabelledByOther(entry: ResourceEntry): boolean {
  const label = foundOf(entry.live)?.label;
  return label !== undefined && label !== entry.application.owner.label;
}

/** An object that the stream does not have may exist without its label: a GET decides. */
async function findObject(effects: ObserverEffects, entry: ResourceEntry, plan: ResourcePlan, signal: AbortSignal) {
  if (entry.live.found === 'unknown') await effects.streams.whenListed(entry, signal);
  const found = foundOf(entry.live);
  // The claim of another application is proved by the object, which may have been dropped to save memory.
  const isKnown = found !== undefined && (found.object !== undefined || !isLabelledByOther(entry));
  if (isKnown || entry.live.found === 'missing') return undefined;
  const read = await effects.api.read(plan.target, signal);
  if (!read.ok) return effectFailed(effects.streams.isReliable(entry) ? read.failure : withPause(read.failure));
  // An object that was observed in the meantime is newer than a response without one.
  if (read.value !== undefined || foundOf(entry.live) === undefined)
    observeObject(entry, read.value, effects.runtime.clock.monotonic());
  return undefined;
}

/** Milliseconds. */
const pauseWithoutStream = 30_000;

/**
 * If the stream is lost as well, the whole kind is unavailable. The pause is long, since the stream reports when the
 * kind is available again.
 */
function withPause(failure: ApplyFailure): ApplyFailure {
  if (failure.type !== 'transient') return failure;
  return { ...failure, retryAfter: Math.max(failure.retryAfter, pauseWithoutStream) };
}

/**
 * Once the kind is served, the application is planned again, because the scope of the kind determines the identity of
 * the object.
 */
async function withoutPlan(
  { restMapper }: ObserverEffects,
  { desired: { manifest, fieldError }, application }: ResourceEntry,
  signal: AbortSignal,
): Promise<ResourceEvent> {
  if (fieldError !== '') return { type: 'effect.rejected', reason: fieldError, failure: 'schema' };
  const kind = await restMapper.find(manifest.apiVersion, manifest.kind, signal);
  if (!kind.ok) return withoutKind(kind.failure);
  const topology = await restMapper.topologyOf(kind.value, signal);
  if (!topology.ok) return withoutKind(topology.failure);
  application.actor.send({ type: 'application.changed' });
  return { type: 'effect.typeMissing', reason: `The cluster has ${manifest.kind} now.` };
}

/** Discovery notices for all waiting resources when the kind is available again. */
function withoutKind(failure: ApplyFailure): ResourceEvent {
  if (failure.type !== 'transient') return effectFailed(failure);
  const { type, reason, retryAfter } = failure;
  return { type: 'effect.kindUnavailable', reason, retryAfter, failure: type };
}

/** Compares now. A request that was refused before is not repeated until it is due. */
function evaluate(effects: ObserverEffects, entry: ResourceEntry): ResourceEvent {
  const { runtime } = effects;
  const now = runtime.clock.monotonic();
  compareLive(entry, now);
  const event = decide(effects, entry, now);
  if (event.type === 'check.inSync') forgetRefusal(entry, 'rejection');
  if (event.type !== 'check.drifted' && event.type !== 'check.missing') return event;
  const of = event.type === 'check.missing' ? 'create' : effectivePlan(entry) === undefined ? 'apply' : 'correct';
  if (of === 'correct' && splitDrifts(entry.desired, entry.live.drifts, now).open.length > 0) return event;
  return stillRejected(rejectionOf(entry.desired, of, now), now, event.longestWait) ?? event;
}

function decide(effects: ObserverEffects, entry: ResourceEntry, monotonic: number): ResourceEvent {
  const now = effects.runtime.clock.now();
  const mayCorrect = !entry.application.isDetectOnly;
  const liveObject = foundOf(entry.live);
  const isNew = effectivePlan(entry) === undefined;
  const { drifts } = entry.live;
  const { lastKnownGood } = entry.desired;
  const nextAttemptIn = lastKnownGood === undefined ? undefined : retryDelayOf(lastKnownGood, monotonic);
  // The back-off of a correction never delays the next attempt of the current manifest.
  // A check that finds no drift reads no calendar.
  const limit = () => ({
    mayCorrect,
    now,
    ...(nextAttemptIn !== undefined && { longestWait: nextAttemptIn }),
    ...(isCorrection(entry) && pendingMaintenance(effects)),
  });
  if (liveObject === undefined) return { type: 'check.missing', ...limit(), paths: isNew ? [] : [missingKey] };
  if (liveObject.isTerminating) return { type: 'effect.terminating' };
  if (foreignOwnerOf(entry) !== undefined) return { type: 'effect.claimed', reason: claimReason(entry) };
  if (isNew) return { type: 'check.drifted', mayCorrect };
  if (drifts.length === 0) {
    if (lastKnownGood === undefined || nextAttemptIn === undefined) return { type: 'check.inSync' };
    const { reason, failure } = lastKnownGood;
    return { type: 'effect.usingLastApplied', reason, failure, nextAttemptIn };
  }
  const paths = splitDrifts(entry.desired, drifts, monotonic).open.map(correctionKey);
  return { type: 'check.drifted', ...limit(), paths, conflictingManager: managerOfFirstDrift(entry) };
}

/** Returns the manager of the first drift that has one, since a deleted field has no owner. */
function managerOfFirstDrift(entry: ResourceEntry): string | undefined {
  const object = foundOf(entry.live)?.object;
  if (object === undefined) return undefined;
  for (const drift of entry.live.drifts) {
    const conflictingManager = conflictingManagerOf(object, drift, entry.application.owner);
    if (conflictingManager !== undefined) return conflictingManager;
  }
  return undefined;
}

/** Names the other application by the annotation on the object. */
function claimReason(entry: ResourceEntry): string {
  const metadata = objectOf(foundOf(entry.live)?.object?.['metadata']);
  const name = textOf(objectOf(metadata['annotations'])[annotationName]) ?? foreignOwnerOf(entry);
  return `It belongs to the application ${name}, and not to ${entry.application.id}.`;
}
