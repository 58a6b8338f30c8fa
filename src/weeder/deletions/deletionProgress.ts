import type { Clock } from '@weeder/kube-runtime/base';
import { delayOf, type WaitReason } from '../../../machines/weeder/podDeletion.ts';
import type { DeletionEntry } from './deletionEntry.ts';
import type { Place } from './pacedQueue.ts';
import type { WindowRef } from './weederEvents.ts';

/** How far the deletion of a pod is that a window requests. `ended`: its outcome was reported. */
export type DeletionProgress =
  | {
      readonly type: 'waiting';
      readonly reason: WaitReason | 'settling';
      /** Epoch milliseconds. */
      readonly until: number;
      /** The service `namespace/name` for which it waits. */
      readonly heldBy: string | undefined;
    }
  /** `waiting`: how many deletions wait for this pace. */
  | ({ readonly type: 'paced' } & NonNullable<Place['pacing']> & Pick<WindowRef, 'namespace' | 'service'>)
  | { readonly type: 'readingLog' | 'queued' | 'deleting' | 'conflicted' | 'refused' | 'ended' };

export function progressOf(
  { actor, owner, slot }: Pick<DeletionEntry, 'actor' | 'owner' | 'slot'>,
  clock: Pick<Clock, 'now' | 'monotonic'>,
): DeletionProgress {
  const snapshot = actor.getSnapshot();
  const { context } = snapshot;
  if (snapshot.matches({ attempting: 'deleting' })) return { type: 'deleting' };
  if (snapshot.matches('readingLog')) return { type: 'readingLog' };
  if (snapshot.matches('conflicted')) return { type: 'conflicted' };
  if (snapshot.matches('backingOff')) return { type: 'refused' };
  if (snapshot.status !== 'active') return { type: 'ended' };
  const delay = snapshot.matches('waiting') ? delayOf(context, context.now()) : undefined;
  if (delay === undefined) {
    const pacing = slot?.pacing;
    if (pacing === undefined) return { type: 'queued' };
    const { namespace, service } = owner.window;
    return { type: 'paced', namespace, service, ...pacing };
  }
  const until = clock.now() + delay.until - clock.monotonic();
  return { type: 'waiting', reason: delay.reason, until, heldBy: context.heldBy };
}
