/**
 * Tries once to delete or release each resource that was removed from its application, stage by stage: one that remains
 * holds up the stages behind it and nothing else. Nothing is deleted before an application that takes it over had time to
 * arrive. An object that the application is not proven to have applied stays.
 * Does not guarantee that an object no longer exists on return: a removal that is blocked, slow or terminating remains
 * pending, and the next call continues it.
 */

import { largest } from '@weeder/kube-runtime/base';
import { inParallel, track } from '../../base/promises.ts';
import type { ActiveRemoval, ApplicationEntry, PendingRemoval } from '../entries/entries.ts';
import { type Identity, identityKey } from '../objects/identity.ts';
import type { ObserverEffects } from '../streams/observerEffects.ts';
import { slowMessage } from '../streams/requestSemaphore.ts';
import { definedGroups, deletionStage, inDeletionOrder } from './order.ts';
import { remainingOf } from './remainingRemoval.ts';
import { removeResource } from './removeResource.ts';
import { recordRemoval } from './resourceSet.ts';
import { candidatesFor } from './successor.ts';

/** The maximum number of requests in flight for one application. */
const maxConcurrent = 8;

/**
 * `isHomeEnding`: objects in the namespace that is being deleted with the application are not waited for, because the
 * namespace would wait for the application. `lastStage`: something else holds up the later stages.
 */
export async function removePending(
  effects: ObserverEffects,
  entry: ApplicationEntry,
  isHomeEnding: boolean,
  signal: AbortSignal,
  lastStage = Number.POSITIVE_INFINITY,
): Promise<void> {
  const now = effects.runtime.clock.monotonic();
  for (const row of entry.pendingRemovals.values())
    if (row.since === undefined) recordRemoval(entry, row, { ...row, since: now });
  const ownGroups = definedGroups([...entry.resources.values(), ...entry.pendingRemovals.values()]);
  const rows = inDeletionOrder([...entry.pendingRemovals.values()], ownGroups).filter(
    (row) => !mayBeInManifests(entry, row),
  );
  const stages = Map.groupBy(rows, ({ identity }) => deletionStage(identity, ownGroups));
  let blockedStage = lastStage;

  async function remove(row: PendingRemoval, stage: number, isHolding: boolean): Promise<void> {
    if (signal.aborted) return;
    const goesAnyway = isHomeEnding && liesIn(row.identity, entry.about.namespace);
    if (!isHomeEnding && awaitsSuccessor(effects, entry, row)) {
      blockedStage = Math.min(blockedStage, stage);
      return;
    }
    const left = goesAnyway ? undefined : await attempt(effects, entry, row, isHomeEnding, signal);
    const { kept, lastStage: holds } = remainingOf(effects.runtime.clock, row, left, stage, isHolding);
    if (!recordRemoval(entry, row, kept)) return;
    blockedStage = Math.min(blockedStage, holds);
    if (kept?.isDelayed === true && !row.isDelayed)
      effects.report({
        type: 'resource.deletionDelayed',
        application: entry.about,
        resource: row.identity,
        apiVersion: row.apiVersion,
        uid: row.appliedUid,
        reason: kept.reason,
      });
  }

  const lastOf = largest(stages.keys()) ?? 0;
  for (const [stage, those] of [...stages].toSorted(([one], [other]) => one - other)) {
    if (signal.aborted || stage > blockedStage) return;
    const isHolding = stage < lastOf;
    await inParallel(those, maxConcurrent, (row) => remove(row, stage, isHolding));
  }
}

/** Where one write removes an object from an application, another write may add it to a second one a moment later. */
function awaitsSuccessor(
  effects: ObserverEffects,
  entry: ApplicationEntry,
  { identity, state, since = 0 }: PendingRemoval,
): boolean {
  if (state === 'terminating' || effects.runtime.clock.monotonic() >= since + effects.pruneDelay()) return false;
  const { deletionPolicy } = (entry.valid ?? entry.newest).spec;
  return deletionPolicy === 'delete' && candidatesFor(effects, entry, identity).length === 0;
}

/**
 * Joins the removal in flight, or starts one. A slow removal continues, and its result is returned to the next call.
 */
async function attempt(
  effects: ObserverEffects,
  entry: ApplicationEntry,
  row: PendingRemoval,
  isHomeEnding: boolean,
  signal: AbortSignal,
): Promise<PendingRemoval | undefined> {
  const key = identityKey(row.identity);
  const slow: PendingRemoval = { ...row, reason: slowMessage, retryAfter: 0 };
  const active = entry.activeRemovals.get(key);
  if (active !== undefined) {
    const { end } = active;
    if (end !== undefined) entry.activeRemovals.delete(key);
    return end === undefined ? slow : end.left;
  }
  const removal: ActiveRemoval = { end: undefined };
  entry.activeRemovals.set(key, removal);
  const { promise: isSlow, resolve } = Promise.withResolvers<PendingRemoval>();
  let isWaitedFor = true;
  const removing = removeResource(effects, entry, row, isHomeEnding, signal, () => resolve(slow)).then(
    (left) => {
      removal.end = { left };
      if (isWaitedFor) entry.activeRemovals.delete(key);
      return left;
    },
    (error) => {
      entry.activeRemovals.delete(key);
      throw error;
    },
  );
  track(entry.inFlight, removing);
  const left = await Promise.race([removing, isSlow]);
  isWaitedFor = removal.end !== undefined;
  return left;
}

/** While it is unknown whether a kind is namespaced, a manifest of this kind may mean any object of its name. */
function mayBeInManifests(
  { resources }: ApplicationEntry,
  { identity: { group, kind, name } }: PendingRemoval,
): boolean {
  return [...resources.values()].some(
    ({ desired, identity }) =>
      desired.plan === undefined && identity.group === group && identity.kind === kind && identity.name === name,
  );
}

/** Returns true for objects in this namespace and for the namespace itself. */
function liesIn({ group, kind, namespace, name }: Identity, home: string): boolean {
  return namespace === home || (group === '' && kind === 'Namespace' && name === home);
}

/**
 * Nothing is pruned while the spec has errors: a resource that seems to be removed may be in the part that cannot be
 * read.
 */
export async function prune(effects: ObserverEffects, entry: ApplicationEntry, signal: AbortSignal): Promise<void> {
  if (entry.isDetectOnly || entry.valid === undefined || entry.errors.length > 0 || entry.pendingRemovals.size === 0)
    return;
  await removePending(effects, entry, false, signal);
  effects.status.changed(entry);
}
