import type { ApplicationEntry, PendingRemoval } from '../entries/entries.ts';
import { forgetObject } from '../entries/transitions.ts';
import { type ApplyFailure, done, failed, type Outcome } from '../objects/applyFailure.ts';
import type { Release } from '../objects/events.ts';
import { type Identity, identityKey, identityText } from '../objects/identity.ts';
import type { RestMapping, Target } from '../plan/resourceApi.ts';
import type { Application } from '../spec/application.ts';
import type { ObserverEffects } from '../streams/observerEffects.ts';
import { contentsOf } from './contents.ts';
import { accountOf, targetOf } from './planResources.ts';
import { type Successor, successorOf } from './successor.ts';

/**
 * Failures after which nothing is left to do: the object does not exist, is deleted with its namespace, or was never
 * applied by the application.
 */
const settled: ReadonlySet<ApplyFailure['type']> = new Set(['missing', 'otherUid', 'claimed', 'namespaceTerminating']);

/** Failures that mean that no object is proven to be applied by the application. */
const skipped: ReadonlySet<ApplyFailure['type']> = new Set(['missing', 'otherUid', 'claimed']);

/**
 * Deletes or releases an object that was applied before, as the application's policy says. One that another application
 * lists is handed over to it, or at least not deleted. If the version of its last
 * apply is no longer served, the same object is found under another version. If no version of its group serves the
 * kind, all its objects are deleted already. Returns undefined when it is done. Otherwise the row has the reason, and
 * its state `terminating` means that the object is deleted and still exists. `onSlow`: see `RequestSemaphore`.
 */
export async function removeResource(
  effects: ObserverEffects,
  entry: ApplicationEntry,
  row: PendingRemoval,
  isHomeEnding: boolean,
  signal: AbortSignal,
  onSlow: () => void,
): Promise<PendingRemoval | undefined> {
  const { restMapper } = effects;
  const { identity, apiVersion } = row;
  const mapping = await restMapper.find(apiVersion, identity.kind, signal);
  let removed: Outcome<undefined> = mapping.ok
    ? await removeAs(effects, entry, row, mapping.value, signal, onSlow)
    : mapping;
  if (!removed.ok && removed.failure.type === 'typeMissing') {
    const served = await restMapper.findInGroup(identity.group, identity.kind, signal);
    if (!served.ok && served.failure.type === 'typeMissing') return undefined;
    removed = served.ok ? await removeAs(effects, entry, row, served.value, signal, onSlow) : served;
  }
  if (removed.ok || settled.has(removed.failure.type)) return undefined;
  const { type, reason, retryAfter } = removed.failure;
  if (type === 'terminating' && isHomeEnding) return undefined;
  return { ...row, state: type === 'terminating' ? 'terminating' : 'leaving', reason, retryAfter };
}

/** Removes the object under this kind and version. */
async function removeAs(
  effects: ObserverEffects,
  entry: ApplicationEntry,
  { identity, appliedUid: uid, state }: PendingRemoval,
  kind: RestMapping,
  signal: AbortSignal,
  onSlow: () => void,
): Promise<Outcome<undefined>> {
  // The kind was unknown when the row was written, or it has changed its scope since then: no object has this identity.
  const hasNamespace = identity.namespace !== '';
  if (kind.isNamespaced !== hasNamespace)
    return failed(
      'missing',
      `${identityText(identity)} cannot exist: its kind is ${hasNamespace ? 'cluster-scoped' : 'namespaced'}.`,
    );
  const { writes, report, mayUseOwnRights } = effects;
  const taken = state === 'terminating' ? done(undefined) : await successorOf(effects, entry, identity, kind, signal);
  if (!taken.ok) return taken;
  const { valid: application = entry.newest } = entry;
  const target = targetOf(kind, identity, accountOf(application, mayUseOwnRights));
  const release = await writes.acquire(entry.id, target.apiVersion, signal, onSlow);
  if (release === undefined) return failed('cancelled', 'its turn has not come');
  const end = endOf(application, taken.value);
  const outcome = await giveUp(effects, entry, target, uid, end);
  release();
  const about = { application: entry.about, resource: identity, apiVersion: target.apiVersion, uid };
  const isGone = outcome.ok || (state === 'terminating' && outcome.failure.type === 'missing');
  if (outcome.ok) checkAgain(taken.value, identity);
  if (isGone) report({ ...about, ...(outcome.ok ? outcome.value : end) });
  else if (!outcome.ok && skipped.has(outcome.failure.type))
    report({ type: 'resource.deletionSkipped', ...about, reason: outcome.failure.reason });
  return outcome.ok ? done(undefined) : outcome;
}

/** Deletes or releases the object. Returns what has become of it: its author may keep it from being deleted. */
async function giveUp(
  effects: ObserverEffects,
  entry: ApplicationEntry,
  target: Target,
  uid: string | undefined,
  end: End,
): Promise<Outcome<End>> {
  const { api } = effects;
  const { owner } = entry;
  // A request that was sent is never aborted.
  const until = new AbortController().signal;
  if (end.type === 'resource.released') {
    const released = await api.release(target, owner, uid, until, end.to);
    return released.ok ? done(end) : released;
  }
  const deleted = await api.delete(target, owner, uid, until, contentsOf(effects, entry, target.identity));
  if (!deleted.ok) return deleted;
  return done(deleted.value === undefined ? end : { type: 'resource.released', keptBy: deleted.value });
}

/** No stream reports a cluster-scoped object to a weeder of some namespaces. */
function checkAgain(successor: Successor | undefined, identity: Identity): void {
  const resource = successor?.entry.resources.get(identityKey(identity));
  if (resource === undefined) return;
  forgetObject(resource, 'unknown');
  resource.actor.send({ type: 'resync.due' });
}

type End = { readonly type: 'resource.deleted' } | ({ readonly type: 'resource.released' } & Release);

/** What becomes of an object that its application gives up. */
function endOf({ spec }: Application, successor: Successor | undefined): End {
  if (successor === undefined)
    return { type: spec.deletionPolicy === 'orphan' ? 'resource.released' : 'resource.deleted' };
  const { entry, mayHave } = successor;
  return { type: 'resource.released', ...(mayHave ? { to: entry.owner } : { listedBy: entry.id }) };
}
