import type { ObserverEffects } from '../effects/observerEffects.ts';
import { type ApplyFailure, failed, type Outcome } from '../model/applyFailure.ts';
import { identityText } from '../model/identity.ts';
import type { RestMapping } from '../plan/resourceApi.ts';
import type { ApplicationEntry, PendingRemoval } from '../state/entries.ts';
import { accountOf, targetOf } from './planResources.ts';

/** Failures after which nothing is left to do: it is gone, goes with its namespace, or was never ours. */
const settled: ReadonlySet<ApplyFailure['is']> = new Set(['missing', 'otherUid', 'claimed', 'namespaceTerminating']);

/** Failures that mean that no object is proven to be applied by the application. */
const skipped: ReadonlySet<ApplyFailure['is']> = new Set(['missing', 'otherUid', 'claimed']);

/**
 * Deletes or releases what was applied once, as the application wants it. Where the version of its last apply is not
 * served any more, it is the same object under another one; only a kind that is in no version of its group is gone, with
 * all of its objects. Undefined: it is done. Otherwise what is in the way stands in the row, whose state `terminating`
 * says that it is deleted, and not gone yet: where the namespace of the application ends, that is not waited for. `onSlow`
 * as of `Places`.
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
  const known = await restMapper.find(apiVersion, identity.kind, signal);
  let removed: Outcome<undefined> = known.ok ? await removeAs(effects, entry, row, known.value, signal, onSlow) : known;
  if (!removed.ok && removed.failure.is === 'typeMissing') {
    const served = await restMapper.findInGroup(identity.group, identity.kind, signal);
    if (!served.ok && served.failure.is === 'typeMissing') return undefined;
    removed = served.ok ? await removeAs(effects, entry, row, served.value, signal, onSlow) : served;
  }
  if (removed.ok || settled.has(removed.failure.is)) return undefined;
  const { is, reason } = removed.failure;
  if (is === 'terminating' && isHomeEnding) return undefined;
  return { ...row, state: is === 'terminating' ? 'terminating' : 'leaving', reason };
}

/** As an object of this kind and version. */
async function removeAs(
  { api, writes, report, mayUseOwnRights }: ObserverEffects,
  entry: ApplicationEntry,
  { identity, appliedUid: uid, state }: PendingRemoval,
  kind: RestMapping,
  signal: AbortSignal,
  onSlow: () => void,
): Promise<Outcome<undefined>> {
  // The kind was not known when the row was written, or is another one of its name now: nothing has this identity.
  const hasNamespace = identity.namespace !== '';
  if (kind.isNamespaced !== hasNamespace)
    return failed(
      'missing',
      `${identityText(identity)} cannot be: its kind lives ${hasNamespace ? 'in no namespace' : 'in namespaces'}.`,
    );
  const application = entry.valid ?? entry.newest;
  const target = targetOf(kind, identity, accountOf(application, mayUseOwnRights));
  const release = await writes.acquire(entry.id, target.apiVersion, signal, onSlow);
  if (release === undefined) return failed('cancelled', 'its turn has not come');
  const isReleased = application.spec.deletionPolicy === 'orphan';
  // A request that was sent is not aborted.
  const until = new AbortController().signal;
  const outcome = isReleased
    ? await api.release(target, entry.owner, uid, until)
    : await api.delete(target, entry.owner, uid, until);
  release();
  const about = { application: entry.about, resource: identity, apiVersion: target.apiVersion, uid };
  const isGone = outcome.ok || (state === 'terminating' && outcome.failure.is === 'missing');
  if (isGone) report({ type: isReleased ? 'resource.released' : 'resource.deleted', ...about });
  else if (!outcome.ok && skipped.has(outcome.failure.is))
    report({ type: 'resource.deletionSkipped', ...about, reason: outcome.failure.reason });
  return outcome;
}
