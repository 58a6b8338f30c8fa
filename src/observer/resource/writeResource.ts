import type { JsonObject } from '@weeder/kube-runtime/base';
import type { ResourceEvent } from '../../../machines/observer/resource.ts';
import { correctionKey, missingKey } from '../drift/correctionKey.ts';
import { isAccessProven, recordAccess } from '../entries/access.ts';
import { foreignOwnerOf, needsApply } from '../entries/comparison.ts';
import { splitDrifts } from '../entries/desired.ts';
import { memoryOf, type ResourceEntry } from '../entries/entries.ts';
import { foundOf } from '../entries/live.ts';
import {
  expireLastKnownGood,
  type FailedWrite,
  observeObject,
  recordStaleClaim,
  recordWritten,
} from '../entries/transitions.ts';
import type { Outcome } from '../objects/applyFailure.ts';
import { labelPath } from '../objects/fieldManagers.ts';
import { hasMore } from '../objects/jsonValue.ts';
import type { Drift } from '../objects/projection.ts';
import { uidOf } from '../ownership/ownership.ts';
import type { Applied, ResourcePlan } from '../plan/resourceApi.ts';
import type { ObserverEffects } from '../streams/observerEffects.ts';
import { conflicted, effectFailed, recheck, unverified, writeFailed } from './failureEvents.ts';
import { isCorrection, pendingMaintenance } from './maintenance.ts';
import { aboutOf } from './reportResource.ts';

/**
 * Creates, updates or corrects a resource, by the state that is known when its slot is granted. A request that was sent
 * is not aborted when its caller stops waiting; one that still waits for a slot is.
 */
export async function writeResource(
  effects: ObserverEffects,
  entry: ResourceEntry,
  signal: AbortSignal,
): Promise<() => ResourceEvent> {
  const event = await applyOrCorrect(effects, entry, signal);
  return () => event;
}

/** Does the same without the actor's protocol. `onSlow` as in `RequestSemaphore`. */
export async function applyOrCorrect(
  effects: ObserverEffects,
  entry: ResourceEntry,
  signal: AbortSignal,
  onSlow?: () => void,
): Promise<ResourceEvent> {
  if (entry.writing !== undefined) await entry.writing;
  const { application } = entry;
  const { plan } = entry.desired;
  if (plan === undefined) return conflicted;
  const release = await effects.writes.acquire(application.id, plan.target.apiVersion, signal, onSlow);
  if (release === undefined) return conflicted;
  if (entry.writing !== undefined) {
    release();
    await entry.writing;
    return conflicted;
  }
  const writing = verifiedWrite(effects, entry).finally(() => {
    entry.writing = undefined;
    release();
  });
  entry.writing = writing;
  return writing;
}

/** A request that was sent is not aborted. */
const neverAborted = new AbortController().signal;

/**
 * Objects that weeder reads with its own permissions must not leak: without the permission to patch nothing is read,
 * and a refusal is reported only if the ServiceAccount may see the object.
 */
async function verifiedWrite(effects: ObserverEffects, entry: ResourceEntry): Promise<ResourceEvent> {
  const { access, runtime } = effects;
  const { plan } = entry.desired;
  // A maintenance window may have closed while the write waited for its slot.
  if (plan === undefined || (isCorrection(entry) && pendingMaintenance(effects) !== undefined)) return conflicted;
  if (!isAccessProven(entry, runtime.clock.monotonic())) {
    const may = await access.verifyWrite(plan.target, neverAborted);
    if (!may.ok) return unverified(may.failure);
  }
  const event = await write(effects, entry);
  if (event.type === 'write.done' || event.type === 'write.conflicted') return event;
  const verified = await access.verify(entry, plan.target, neverAborted);
  return verified.ok ? event : unverified(verified.failure);
}

async function write(effects: ObserverEffects, entry: ResourceEntry): Promise<ResourceEvent> {
  const { api, runtime } = effects;
  if (entry.desired.plan === undefined) return conflicted;
  const now = runtime.clock.monotonic();
  expireLastKnownGood(entry, now);
  const unknown = await readLive(effects, entry, entry.desired.plan, neverAborted);
  if (unknown !== undefined) return unknown;
  const liveObject = foundOf(entry.live);
  // Reading the live object may have changed the plan: its replicas may be scaled.
  const { lastKnownGood } = entry.desired;
  const chosen = lastKnownGood?.plan ?? entry.desired.plan;
  const { appliedUid } = memoryOf(entry.actor);
  const plan = appliedUid === undefined ? chosen : { ...chosen, appliedUid };
  if (liveObject === undefined) {
    return recordOutcome(
      effects,
      entry,
      plan,
      { of: 'create', drifts: [missing] },
      await api.create(plan, neverAborted, true),
    );
  }
  const { object, isTerminating } = liveObject;
  if (isTerminating) return { type: 'effect.terminating' };
  if (object === undefined || foreignOwnerOf(entry) !== undefined) return recheck(entry.actor);
  if (liveObject.label !== undefined && liveObject.label === entry.live.staleLabel)
    return removeStaleClaim(effects, entry, plan, object);
  if (lastKnownGood === undefined && needsApply(entry)) {
    const isLabelled = liveObject.label !== undefined;
    const outcome = isLabelled ? await api.update(plan, object, neverAborted) : await api.create(plan, neverAborted);
    return recordOutcome(effects, entry, plan, { of: 'apply', drifts: [] }, outcome);
  }
  // The stream may report a correction before its response arrives. Then there is no drift left.
  const { drifts, driftedAt = now } = entry.live;
  const { open, refused: kept } = splitDrifts(entry.desired, drifts, now);
  if (open.length === 0) return recheck(entry.actor);
  const corrected = await api.correct({ ...plan, kept }, object, open, neverAborted);
  return recordOutcome(effects, entry, plan, { of: 'correct', drifts: open }, corrected, driftedAt);
}

/**
 * Removes the label, the annotation and the managers of an application that does not exist from the version that was
 * read. If several applications try this at once, one succeeds. After that each may claim the object, and the API
 * server lets one of them succeed.
 */
async function removeStaleClaim(
  { api, claims, runtime }: ObserverEffects,
  entry: ResourceEntry,
  plan: ResourcePlan,
  object: JsonObject,
): Promise<ResourceEvent> {
  const isStale = await claims.isStale(object);
  const now = runtime.clock.monotonic();
  if (!isStale) {
    recordStaleClaim(entry, false, now);
    return recheck(entry.actor);
  }
  const unclaimed = await api.removeStaleClaim(plan, object, neverAborted);
  if (!unclaimed.ok)
    return writeFailed(entry, plan, { of: 'apply', drifts: [], failure: unclaimed.failure }, runtime.clock.monotonic());
  observeObject(entry, unclaimed.value, runtime.clock.monotonic());
  return conflicted;
}

/**
 * Returns undefined if the live object is known or known to be missing. Also if a resource that was never applied is
 * not in its stream: it is expected to be missing, and the first apply finds that out, so that a start needs one
 * request for each resource and not two.
 */
async function readLive(
  { api, runtime, streams }: ObserverEffects,
  entry: ResourceEntry,
  { target }: ResourcePlan,
  signal: AbortSignal,
): Promise<ResourceEvent | undefined> {
  if (foundOf(entry.live)?.object !== undefined) return undefined;
  if (entry.live.found === 'unknown' && memoryOf(entry.actor).appliedHash === undefined && streams.isReliable(entry))
    return undefined;
  const read = await api.read(target, signal);
  if (!read.ok) return effectFailed(read.failure);
  observeObject(entry, read.value, runtime.clock.monotonic());
  return undefined;
}

/** The drift of a resource that does not exist. */
const missing: Drift = { path: missingKey, desired: undefined, found: undefined, type: 'missing' };

function recordOutcome(
  { runtime, report }: ObserverEffects,
  entry: ResourceEntry,
  plan: ResourcePlan,
  { of, drifts: attempted }: Pick<FailedWrite, 'of' | 'drifts'>,
  outcome: Outcome<Applied>,
  since = runtime.clock.monotonic(),
): ResourceEvent {
  const monotonic = runtime.clock.monotonic();
  if (!outcome.ok) return writeFailed(entry, plan, { of, drifts: attempted, failure: outcome.failure }, monotonic);
  const applied = outcome.value;
  const { object, hasChanged, isNew, refused } = applied;
  const drifts = attempted.filter((each) => refused?.drifts.includes(each) !== true);
  const { appliedHash: before } = memoryOf(entry.actor);
  const isMissing = drifts.includes(missing);
  const wasApplied = before === plan.hash && !isMissing;
  const paths = before === undefined ? [] : drifts.map(correctionKey);
  const mutated = wasApplied && !hasChanged && refused === undefined ? mutatedPaths(drifts) : [];
  const hash = wasApplied ? undefined : plan.hash;
  const now = runtime.clock.now();
  entry.actor.send({ type: 'write.ended', paths, now, hash, uid: uidOf(object), mutated });
  const corrected = wasApplied ? drifts : undefined;
  recordAccess(entry, plan.target.account, monotonic);
  recordWritten(entry, { plan, of, applied, corrected, isMutated: mutated.length > 0 }, monotonic, now);
  const about = aboutOf(entry);
  const how = !isMissing || !isNew ? 'updated' : before === undefined ? 'created' : 'recreated';
  if (!wasApplied) report({ type: 'resource.applied', ...about, how });
  else if (hasChanged) report({ type: 'resource.corrected', ...about, drifts, took: monotonic - since });
  else if (mutated.length > 0) report({ type: 'resource.mutatedByAdmission', ...about, paths: mutated });
  // The next check reports the refused fields.
  return refused === undefined ? { type: 'write.done' } : conflicted;
}

/**
 * If a correction changes nothing, admission changes the value back each time: the value is accepted as the baseline.
 * Returns the paths of such values. An added element or field is never accepted, and stays a drift, as does the
 * ownership label: another client may have added it, and the API server leaves it beside what is applied.
 */
function mutatedPaths(drifts: readonly Drift[]): readonly string[] {
  if (drifts.some(({ type, desired, found }) => type === 'excess' || type === 'duplicate' || hasMore(found, desired)))
    return [];
  return drifts.flatMap(({ path }) => (path === labelPath ? [] : path));
}
