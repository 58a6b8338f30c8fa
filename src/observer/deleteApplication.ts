import type { ApplicationEvent } from '../../machines/observer/application.ts';
import type { ApplicationEntry, LeftResource } from './applicationEntry.ts';
import type { ApplyFailure } from './applyFailure.ts';
import { identityKey, identityText } from './identity.ts';
import type { ObserverEffects } from './observerEffects.ts';
import { inDeletionOrder } from './order.ts';
import { removeResource } from './removeResource.ts';
import { leftRow } from './rows.ts';
import { sentenceOf } from './wording.ts';

const done: ApplicationEvent = { type: 'deletion.done' };

/**
 * Deletes or releases whatever the application has applied, the newest first, and lets it go. What lies in a namespace
 * that is being deleted goes with it, and its ServiceAccount is gone before everything else (A14).
 */
export async function deleteApplication(
  effects: ObserverEffects,
  entry: ApplicationEntry,
  signal: AbortSignal,
): Promise<ApplicationEvent> {
  const { applications, report } = effects;
  if (!entry.newest.hasFinalizer) return done;
  takeAll(effects, entry);
  if (!entry.newest.isForced) {
    const home = await applications.isTerminating(entry.about.namespace);
    if (!home.ok) return refused(home.failure);
    await removeAll(effects, entry, home.value, signal);
    if (signal.aborted) return { type: 'deletion.refused', failure: 'cancelled' };
    const hindered = [...entry.left.values()].filter(({ reason }) => reason !== '');
    if (hindered.length > 0) return blocked(effects, entry, hindered);
  }
  const { deletionPolicy: policy } = entry.newest.spec;
  const removed = await applications.removeFinalizer(entry.about);
  // Its stream may have told of its end by now.
  if (removed.ok) report({ type: 'application.deleted', application: entry.about, policy });
  const isGone = removed.ok || removed.failure.is === 'missing' || removed.failure.is === 'otherUid';
  return isGone ? done : refused(removed.failure);
}

/** Nothing is a resource of the application any more: all of them have left. */
function takeAll({ streams }: ObserverEffects, entry: ApplicationEntry): void {
  for (const [key, resource] of entry.resources) {
    streams.leave(resource);
    entry.left.set(key, leftRow(resource));
  }
  entry.resources.clear();
}

async function removeAll(
  effects: ObserverEffects,
  entry: ApplicationEntry,
  isHomeTerminating: boolean,
  signal: AbortSignal,
): Promise<void> {
  for (const row of inDeletionOrder([...entry.left.values()])) {
    if (signal.aborted) return;
    const goesAnyway = isHomeTerminating && row.identity.namespace === entry.about.namespace;
    const reason = goesAnyway ? '' : await removeResource(effects, entry, row, signal);
    const key = identityKey(row.identity);
    if (reason === '') entry.left.delete(key);
    else entry.left.set(key, { ...row, reason });
  }
}

function blocked(
  { status }: ObserverEffects,
  entry: ApplicationEntry,
  hindered: readonly LeftResource[],
): ApplicationEvent {
  status.changed(entry);
  const names = hindered.map(({ identity, reason }) => `${identityText(identity)} (${reason.replace(/\.$/, '')})`);
  return { type: 'deletion.refused', reason: sentenceOf('Not deleted', names), failure: 'blocked' };
}

function refused({ is: failure, reason, retryAfter }: ApplyFailure): ApplicationEvent {
  return { type: 'deletion.refused', failure, reason, retryAfter };
}
