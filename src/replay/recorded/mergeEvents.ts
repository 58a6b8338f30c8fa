import { type TimedEvent, versionOf } from './watchEvent.ts';

/**
 * Merges files by time, and within the same time by the order of their writes, because without `ts` times are whole
 * seconds. Each file keeps its own order.
 */
export function mergeEvents(files: readonly (readonly TimedEvent[])[]): TimedEvent[] {
  const next = files.map(() => 0);
  const merged: TimedEvent[] = [];
  for (;;) {
    let earliest: { readonly file: number; readonly event: TimedEvent } | undefined;
    for (const [file, events] of files.entries()) {
      const event = events[next[file] ?? 0];
      if (event !== undefined && (earliest === undefined || isBefore(event, earliest.event)))
        earliest = { file, event };
    }
    if (earliest === undefined) return merged;
    merged.push(earliest.event);
    next[earliest.file] = (next[earliest.file] ?? 0) + 1;
  }
}

function isBefore(a: TimedEvent, b: TimedEvent): boolean {
  return a.at < b.at || (a.at === b.at && versionOf(a) < versionOf(b));
}
