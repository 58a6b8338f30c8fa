import type { WorkloadEntry } from '../patches/workloadEntry.ts';
import { type SourceRef, sourceKey } from '../references/refs.ts';
import type { SourcesKnown } from '../sources/sourceIndex.ts';
import { longestWait } from './nextMount.ts';

/** Whether pods of this workload are evicted that wait for late sources. */
export function isHelped({ observed: { summary, settings } }: WorkloadEntry, now: number): boolean {
  const { pausedUntil, updateStrategy, isEnding, kind } = summary;
  if (settings?.lateSources !== 'evict' || isEnding || kind.restart !== 'rollout') return false;
  // With OnDelete, users decide when a pod is replaced.
  if (updateStrategy === 'onDelete' || pausedUntil === 'unreadable') return false;
  return pausedUntil === undefined || pausedUntil <= now;
}

/**
 * Returns since when the source has all that the workload requires of it, by the API server's clock in epoch
 * milliseconds; undefined: it has had that for so long that no pod waits for it, or it is unknown. The time depends only
 * on the source, so that another weeder decides the same, and a pod that was created later never waits.
 */
export function appearedAt(
  entry: WorkloadEntry,
  ref: SourceRef,
  sources: SourcesKnown,
  now: number,
): number | undefined {
  const meta = sources.get(ref);
  if (meta === undefined || meta.isEnding || meta.createdAt === undefined) return undefined;
  const isRecent = (time: number | undefined) => time !== undefined && now - time < longestWait;
  const known = entry.finding?.current.get(sourceKey(ref));
  const lackedKey = known !== undefined && known.digest.missing.length > 0 && !known.digest.isAbsent;
  if (lackedKey && isRecent(meta.lastDataWrite)) return meta.lastDataWrite;
  return isRecent(meta.createdAt) ? meta.createdAt : undefined;
}
