import type { Clock } from '@weeder/kube-runtime/base';
import { delayOf, type WaitReason } from '../../../machines/weeder/podDeletion.ts';
import type { DeletionEntry } from './deletionEntry.ts';

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
  | { readonly type: 'readingLog' | 'queued' | 'deleting' | 'conflicted' | 'refused' | 'ended' };

export function progressOf(
  { actor }: Pick<DeletionEntry, 'actor'>,
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
  if (delay === undefined) return { type: 'queued' };
  const until = clock.now() + delay.until - clock.monotonic();
  return { type: 'waiting', reason: delay.reason, until, heldBy: context.heldBy };
}
