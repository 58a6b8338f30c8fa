import { formatDuration } from '../../base/duration.ts';
import { table, wallTime } from '../recorded/timeline.ts';
import type { WouldDelete } from './whatIfWeeder.ts';

/** Which pods would have been deleted, when, and how much of a back-off that would have saved each of them. */
export function savings(deleted: readonly WouldDelete[]): string[] {
  if (deleted.length === 0) return ['weeder would have deleted no pod'];
  const rows = deleted.map((each) => [
    each.pod,
    wallTime(each.at),
    `+${(each.sinceOpened / 1000).toFixed(3)}s`,
    `${formatDuration(each.backOff.duration)}${each.isSilent ? ', silent' : ''}`,
    savedWords(each),
  ]);
  const total = deleted.reduce((sum, each) => sum + (savedBy(each) ?? 0), 0);
  const count = `${deleted.length} ${deleted.length === 1 ? 'pod' : 'pods'}`;
  const head = ['pod', 'would be deleted', 'after recovery', 'back-off', 'saved'];
  const isLeast = deleted.some((each) => savedBy(each) !== undefined && each.restartedAt === undefined);
  const sum = isLeast ? `at least ${inSeconds(total)}` : inSeconds(total);
  return [...table([head, ...rows]), `${count}, ${sum} of back-off saved`];
}

/** Until the kubelet restarted it: by the schedule alone that is a lower bound, because kubelets restart late. */
function savedWords(each: WouldDelete): string {
  if (each.isRepeated) return 'counted before';
  const saved = inSeconds(savedBy(each));
  return each.restartedAt === undefined && each.backOff.until !== undefined ? `at least ${saved}` : saved;
}

/** Milliseconds; undefined if it is unknown when the container finished, or if it was counted before. */
function savedBy({ backOff, at, isRepeated, restartedAt }: WouldDelete): number | undefined {
  if (isRepeated) return undefined;
  if (restartedAt !== undefined) return restartedAt - at;
  return backOff.until === undefined ? undefined : Math.max(0, backOff.until - at);
}

function inSeconds(ms: number | undefined): string {
  return ms === undefined ? 'unknown' : `${(ms / 1000).toFixed(3)}s`;
}
