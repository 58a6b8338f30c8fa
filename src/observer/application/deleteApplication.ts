import { largest } from '@weeder/kube-runtime/base';
import type { ApplicationEvent } from '../../../machines/observer/application.ts';
import type { ApplicationEntry } from '../entries/entries.ts';
import { unlistedRemoval } from '../entries/inventoryRows.ts';
import { type ApplyFailure, refusalOf } from '../objects/applyFailure.ts';
import { identityKey, identityText } from '../objects/identity.ts';
import { summaryOf } from '../objects/wording.ts';
import { resolveNamespace } from '../spec/resolveNamespace.ts';
import type { ObserverEffects } from '../streams/observerEffects.ts';
import { deletionStages } from './order.ts';
import { removePending } from './prune.ts';
import { scheduleAllRemovals, scheduleRemoval } from './resourceSet.ts';

const done: ApplicationEvent = { type: 'deletion.done' };

/**
 * Deletes or releases all that the application has applied, the newest first, and removes the finalizer when these
 * objects no longer exist. Objects in a namespace that is being deleted are deleted with it, and there the
 * ServiceAccount may be deleted first.
 */
export async function deleteApplication(
  effects: ObserverEffects,
  entry: ApplicationEntry,
  signal: AbortSignal,
): Promise<ApplicationEvent> {
  const { applications, report } = effects;
  if (!entry.newest.hasFinalizer) return done;
  scheduleAllRemovals(effects.resources, entry);
  if (!entry.newest.isForced) {
    const home = await applications.isTerminating(entry.about.namespace);
    if (!home.ok) return { type: 'deletion.failed', ...refusalOf(home.failure) };
    const unknown = await scheduleUnlistedRemovals(effects, entry, signal);
    const lastStage = unknown === undefined ? undefined : deletionStages.ordinary;
    await removePending(effects, entry, home.value, signal, lastStage);
    if (signal.aborted) return { type: 'deletion.failed', failure: 'cancelled' };
    if (entry.pendingRemovals.size > 0) return notYet(effects, entry);
    if (unknown !== undefined) return { type: 'deletion.failed', ...refusalOf(unknown) };
  }
  const { deletionPolicy: policy } = entry.newest.spec;
  const removed = await applications.removeFinalizer(entry.about);
  // The stream may already have reported the deletion.
  if (removed.ok) report({ type: 'application.deleted', application: entry.about, policy });
  const isGone = removed.ok || removed.failure.type === 'missing' || removed.failure.type === 'otherUid';
  return isGone ? done : { type: 'deletion.failed', ...refusalOf(removed.failure) };
}

/**
 * Schedules the removal of objects that the manifests name and the inventory does not, because the status may have been
 * cleared while weeder was down. An object is removed only if its metadata proves that the application has applied it.
 */
async function scheduleUnlistedRemovals(
  { restMapper }: ObserverEffects,
  entry: ApplicationEntry,
  signal: AbortSignal,
): Promise<ApplyFailure | undefined> {
  const { about, newest, pendingRemovals, checkedManifests } = entry;
  let unknown: ApplyFailure | undefined;
  for (const manifest of newest.spec.manifests) {
    const { apiVersion, group, kind, name, namespace = about.namespace } = manifest;
    const keys = ['', namespace].map((place) => identityKey({ group, kind, name, namespace: place }));
    const inventoryKeys = keys.join(' ');
    const isListed = keys.some((key) => pendingRemovals.has(key));
    if (isListed) checkedManifests.add(inventoryKeys);
    // Each manifest is checked once, not at each attempt.
    if (checkedManifests.has(inventoryKeys)) continue;
    const mapping = await restMapper.find(apiVersion, kind, signal);
    if (!mapping.ok && mapping.failure.type !== 'typeMissing') {
      // The other objects are deleted in the meantime, except for the roles and accounts that this one needs.
      unknown ??= mapping.failure;
      continue;
    }
    const { identity } = resolveNamespace(manifest, about.namespace, !mapping.ok || mapping.value.isNamespaced);
    scheduleRemoval(entry, unlistedRemoval(identity, apiVersion));
    checkedManifests.add(inventoryKeys);
  }
  return unknown;
}

/** Waits for terminating objects. Anything else blocks the deletion. */
function notYet({ status }: ObserverEffects, entry: ApplicationEntry): ApplicationEvent {
  status.changed(entry);
  const hindered = [...entry.pendingRemovals.values()].filter(
    ({ reason, state }) => reason !== '' && state !== 'terminating',
  );
  if (hindered.length === 0) return { type: 'deletion.pending' };
  const names = hindered.map(({ identity, reason }) => `${identityText(identity)} (${reason.replace(/\.$/, '')})`);
  const retryAfter = largest(hindered.map((row) => row.retryAfter)) ?? 0;
  return { type: 'deletion.failed', reason: summaryOf('Not deleted', names), failure: 'blocked', retryAfter };
}
