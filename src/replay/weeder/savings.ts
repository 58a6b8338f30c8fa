import { formatDuration } from '@weeder/kube-runtime/base';
import { table, wallTime } from '../recorded/timeline.ts';
import type { WouldDelete } from './whatIfWeeder.ts';

/** Returns a table of the pods that would have been deleted, with the time and the saved back-off of each. */
export function savings(deleted: readonly WouldDelete[]): string[] {
  if (deleted.length === 0) return ['weeder would have deleted no pod'];
  const rows = deleted.map((deletion) => [
    deletion.pod,
    wallTime(deletion.at),
    `+${(deletion.sinceOpened / 1000).toFixed(3)}s`,
    backOffWords(deletion),
    savedWords(deletion),
  ]);
  const total = deleted.reduce((sum, each) => sum + (savedBy(each) ?? 0), 0);
  const count = `${deleted.length} ${deleted.length === 1 ? 'pod' : 'pods'}`;
  const head = ['pod', 'would be deleted', 'after recovery', 'back-off', 'saved'];
  const isLeast = deleted.some((each) => savedBy(each) !== undefined && each.restartedAt === undefined);
  const sum = isLeast ? `at least ${inSeconds(total)}` : inSeconds(total);
  return [...table([head, ...rows]), `${count}, ${sum} of back-off saved`];
}

function backOffWords({ cause, backOff }: WouldDelete): string {
  if (cause === 'imagePull') return 'of an image';
  return `${formatDuration(backOff.duration)}${cause === 'unreported' ? ', unreported' : ''}`;
}

/**
 * If the restart of the container is not in the recording, the schedule gives a lower bound, because kubelets restart
 * late.
 */
function savedWords(deletion: WouldDelete): string {
  if (deletion.isRepeated) return 'counted before';
  const saved = inSeconds(savedBy(deletion));
  return deletion.restartedAt === undefined && deletion.backOff.until !== undefined ? `at least ${saved}` : saved;
}

/** Returns milliseconds; undefined if it is unknown when the container finished, or if the pod was counted before. */
function savedBy({ backOff, at, isRepeated, restartedAt }: WouldDelete): number | undefined {
  if (isRepeated) return undefined;
  if (restartedAt !== undefined) return restartedAt - at;
  return backOff.until === undefined ? undefined : Math.max(0, backOff.until - at);
}

function inSeconds(ms: number | undefined): string {
  return ms === undefined ? 'unknown' : `${(ms / 1000).toFixed(3)}s`;
}
