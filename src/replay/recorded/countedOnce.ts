import type { TimelineEvent } from './timelineEvent.ts';

/** The outcomes that earlier versions reported for each window that had requested a deletion. */
const outcomes: ReadonlySet<string> = new Set(['pod.deleted', 'deletion.failed']);
const counts = /^(\d+) deleted, (\d+) skipped, (\d+) failed$/;

/**
 * Earlier versions counted a deletion for each window that had requested it (ADR 34). Returns the events of a recording
 * as they are reported now: an outcome counts for the first of these windows, and the sums of the others lack it.
 */
export function countedOnce(events: readonly TimelineEvent[]): readonly TimelineEvent[] {
  const seen = new Set<string>();
  const lacking = new Map<string, { deleted: number; failed: number }>();
  const kept = events.filter((event) => {
    const { t, out, pod, detail } = event;
    if (!outcomes.has(out)) return true;
    const key = [t, out, pod, detail].join('\n');
    const isFirst = !seen.has(key);
    seen.add(key);
    if (isFirst) return true;
    const missing = lacking.get(windowOf(event)) ?? { deleted: 0, failed: 0 };
    lacking.set(windowOf(event), missing);
    missing[out === 'pod.deleted' ? 'deleted' : 'failed'] += 1;
    return false;
  });
  return kept.map((event) => {
    const missing = lacking.get(windowOf(event));
    const [, deleted, skipped, failed] = counts.exec(event.detail) ?? [];
    if (event.out !== 'window.closed' || missing === undefined || deleted === undefined) return event;
    const sums = [Number(deleted) - missing.deleted, Number(skipped), Number(failed) - missing.failed];
    return { ...event, detail: `${sums[0]} deleted, ${sums[1]} skipped, ${sums[2]} failed` };
  });
}

function windowOf({ about, window }: TimelineEvent): string {
  return `${about}#${window}`;
}
