import type { ResourceEvent } from '../../../machines/observer/resource.ts';
import { objectOf, textOf } from '../../base/json.ts';
import { missingKey, paceKey, waitBefore } from '../drift/driftPace.ts';
import { rivalOf } from '../drift/rival.ts';
import type { ObserverEffects } from '../effects/observerEffects.ts';
import type { ApplyFailure } from '../model/applyFailure.ts';
import { annotationName } from '../model/managers.ts';
import { isProved } from '../state/access.ts';
import { foundOf, type ResourceEntry } from '../state/entries.ts';
import { claimantOf, hear, judge, noteAbandoned, planInForce } from '../state/hear.ts';
import { keepUntilDue, restOf } from '../state/kept.ts';
import { findWanted } from './findWanted.ts';
import { lookFailed, unverified } from './writeRefused.ts';

/**
 * How a resource is now: by what its stream told last; where that cannot be known, the API server is asked. The
 * comparison is made at the moment in which its result is told, so that nothing that comes in between is missed. Before
 * anything else it is verified that the account may see the object.
 */
export async function lookAtResource(
  effects: ObserverEffects,
  entry: ResourceEntry,
  signal: AbortSignal,
): Promise<() => ResourceEvent> {
  const unknown = await findOut(effects, entry, signal);
  return () => unknown ?? judged(effects, entry);
}

/** Undefined: what is there is known, and what is wanted. */
async function findOut(
  effects: ObserverEffects,
  entry: ResourceEntry,
  signal: AbortSignal,
): Promise<ResourceEvent | undefined> {
  const { plan } = entry;
  if (plan === undefined) return withoutPlan(effects, entry, signal);
  if (!isProved(entry, effects.runtime.clock.monotonic())) {
    const verified = await effects.access.verify(entry, plan.target, signal);
    if (!verified.ok) return unverified('look', verified.failure);
  }
  keepUntilDue(entry, effects.runtime.clock.monotonic());
  const unknown = (await findWanted(effects, entry, signal)) ?? (await findObject(effects, entry, plan, signal));
  if (unknown === undefined && isLabelledByOther(entry)) await findClaimant(effects, entry);
  return unknown;
}

/** An object with the label of an application that does not exist is nobody's, and compared as any other. */
async function findClaimant({ claims, runtime }: ObserverEffects, entry: ResourceEntry): Promise<void> {
  const found = foundOf(entry);
  if (found?.object === undefined) return;
  const isAbandoned = await claims.isAbandoned(found.object);
  // What was heard meanwhile is looked at again.
  if (foundOf(entry)?.label === found.label) noteAbandoned(entry, isAbandoned, runtime.clock.monotonic());
}

function isLabelledByOther(entry: ResourceEntry): boolean {
  const label = foundOf(entry)?.label;
  return label !== undefined && label !== entry.application.owner.label;
}

type Plan = NonNullable<ResourceEntry['plan']>;

/** What a stream does not have may be there without its label: GET decides. */
async function findObject(effects: ObserverEffects, entry: ResourceEntry, plan: Plan, signal: AbortSignal) {
  if (entry.found === 'unknown') await effects.streams.listed(entry, signal);
  if (typeof entry.found === 'object' || entry.found === 'missing') return undefined;
  const read = await effects.api.read(plan.target, signal);
  if (!read.ok) return lookFailed(effects.streams.isTold(entry) ? read.failure : pausing(read.failure));
  if (read.value !== undefined) hear(entry, read.value, effects.runtime.clock.monotonic());
  // What was heard meanwhile is newer.
  else if (typeof entry.found !== 'object') entry.found = 'missing';
  return undefined;
}

/** Milliseconds. */
const pauseWithoutStream = 30_000;

/** While its stream is lost, too, whatever is away is away for all of its kind: the stream finds out when it is back. */
function pausing(failure: ApplyFailure): ApplyFailure {
  if (failure.is !== 'transient') return failure;
  return { ...failure, retryAfter: Math.max(failure.retryAfter, pauseWithoutStream) };
}

/** Once its kind is known, the application is planned anew: whether the kind lives in namespaces says which object it is. */
async function withoutPlan(
  { kinds }: ObserverEffects,
  { manifest, fault, application }: ResourceEntry,
  signal: AbortSignal,
): Promise<ResourceEvent> {
  if (fault !== '') return { type: 'look.refused', reason: fault, failure: 'schema' };
  const kind = await kinds.find(manifest.apiVersion, manifest.kind, signal);
  if (!kind.ok) return withoutKind(kind.failure);
  const structure = await kinds.structureOf(kind.value, signal);
  if (!structure.ok) return withoutKind(structure.failure);
  application.actor.send({ type: 'application.changed' });
  return { type: 'look.typeMissing', reason: `The cluster has ${manifest.kind} now.` };
}

/** The return of what serves the kind is found by discovery, for all who wait for it. */
function withoutKind(failure: ApplyFailure): ResourceEvent {
  if (failure.is !== 'transient') return lookFailed(failure);
  const { is, reason, retryAfter } = failure;
  return { type: 'look.kindAway', reason, retryAfter, failure: is };
}

function judged({ runtime }: ObserverEffects, entry: ResourceEntry): ResourceEvent {
  judge(entry, runtime.clock.monotonic());
  const mayCorrect = !entry.application.isDetectOnly;
  const found = foundOf(entry);
  const isNew = planInForce(entry) === undefined;
  const rest = entry.kept === undefined ? undefined : restOf(entry.kept, runtime.clock.monotonic());

  /** Whoever fights over what is kept does not keep the manifest of now from being tried again. */
  function wait(keys: readonly string[]): number {
    return isNew ? 0 : Math.min(rest ?? Number.POSITIVE_INFINITY, waitBefore(entry.pace, keys, runtime.clock.now()));
  }

  if (found === undefined) return { type: 'look.missing', mayCorrect, wait: wait([missingKey]) };
  if (found.isEnding) return { type: 'look.ending' };
  if (claimantOf(entry) !== undefined) return { type: 'look.claimed', reason: claimReason(entry) };
  if (isNew) return { type: 'look.drifted', mayCorrect, wait: 0 };
  if (entry.drifts.length === 0) {
    entry.conflicts = 0;
    if (entry.kept === undefined || rest === undefined) return { type: 'look.inSync' };
    const { reason, failure } = entry.kept;
    return { type: 'look.keeping', reason, failure, rest };
  }
  entry.rival = rivalIn(entry);
  return { type: 'look.drifted', mayCorrect, wait: wait(entry.drifts.map(paceKey)) };
}

/** Of the first drift that has one: what was deleted has no owner any more. */
function rivalIn(entry: ResourceEntry): string | undefined {
  const object = foundOf(entry)?.object;
  if (object === undefined) return undefined;
  for (const drift of entry.drifts) {
    const rival = rivalOf(object, drift, entry.application.owner);
    if (rival !== undefined) return rival;
  }
  return undefined;
}

/** By the name that the other application wrote beside its hash. */
function claimReason(entry: ResourceEntry): string {
  const metadata = objectOf(foundOf(entry)?.object?.['metadata']);
  const name = textOf(objectOf(metadata['annotations'])[annotationName]) ?? claimantOf(entry);
  return `It belongs to the application ${name}, and not to ${entry.application.id}.`;
}
