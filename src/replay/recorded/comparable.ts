import type { RecordedLine } from '../../recording/lines.ts';
import { windowKey } from '../../recording/weeder/recordWeeder.ts';
import { isReadySince } from '../../recording/weeder/weederPort.ts';
import { tolerance } from './compare.ts';
import type { PlacedEvent, TimelineEvent } from './timelineEvent.ts';

/**
 * What a replay that begins in the middle cannot reproduce. The limit is a number of preceding inputs and not a time: a
 * replay is a little early or late, and an event at the limit has to be on the same side in both runs.
 */
interface Exclusions {
  /** For each service whose window was open when the file began: the number of inputs before that window closed. */
  readonly until: ReadonlyMap<string, number>;
  /** The requests for the time since when a service is ready, of any service. */
  readonly requests: readonly { readonly requestedAfter: number; readonly answeredAt: number }[];
}

/**
 * Leaves out what a replay that begins in the middle cannot reproduce. Of a service whose window was open then, these
 * are all events until that window closed. They are also the events of each window that opened before that, or by the
 * response to a request from before that, because it depends on the first window whether the second opens.
 */
export function comparableEvents(events: readonly PlacedEvent[], { until, requests }: Exclusions): TimelineEvent[] {
  const excludedWindows = new Set<string>();
  const isComparable = ({ event: { t, out, about, window }, after }: PlacedEvent): boolean => {
    const key = windowKey(about, window);
    const excludedUntil = until.get(about) ?? Number.NEGATIVE_INFINITY;
    const isExcluded = after <= excludedUntil;
    const isFromBefore = requests.some(
      ({ requestedAfter, answeredAt }) =>
        requestedAfter <= excludedUntil && answeredAt <= t && t - answeredAt < tolerance,
    );
    if (out === 'window.opened' && (isExcluded || isFromBefore)) excludedWindows.add(key);
    else if (out === 'window.opened') excludedWindows.delete(key);
    return !isExcluded && !excludedWindows.has(key);
  };
  return events.filter(isComparable).map(({ event }) => event);
}

export function exclusionsOf(lines: readonly RecordedLine[]): Exclusions {
  const before = inputsBefore(lines);
  return { until: exclusionLimits(lines, before), requests: requestsIn(lines, before) };
}

/** Random values do not count: one is recorded among the effects of another input. */
export function isCounted(line: RecordedLine): boolean {
  return line.of === 'weeder' && 'in' in line && line.in !== 'random';
}

/** Returns for each line the number of inputs up to and including it. */
export function inputsBefore(lines: readonly RecordedLine[]): number[] {
  let count = 0;
  return lines.map((line) => {
    if (isCounted(line)) count += 1;
    return count;
  });
}

function exclusionLimits(lines: readonly RecordedLine[], before: readonly number[]): ReadonlyMap<string, number> {
  const open = new Set(
    lines.flatMap((line) => (line.of === 'weeder' && 'in' in line && line.in === 'snapshotEnd' ? line.busy : [])),
  );
  const excludedUntil = new Map<string, number>();
  for (const key of open) excludedUntil.set(key.replace(/#\d+$/, ''), Number.POSITIVE_INFINITY);
  for (const [index, line] of lines.entries()) {
    if (!('about' in line) || line.out !== 'window.closed' || !open.delete(windowKey(line.about, line.window)))
      continue;
    excludedUntil.set(line.about, before[index] ?? 0);
  }
  return excludedUntil;
}

function requestsIn(lines: readonly RecordedLine[], before: readonly number[]): Exclusions['requests'] {
  const open = new Map<string, number[]>();
  const requests: { requestedAfter: number; answeredAt: number }[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.of !== 'weeder' || !('request' in line) || !isReadySince(line.request)) continue;
    const pending = open.get(line.request) ?? [];
    open.set(line.request, pending);
    if ('out' in line) pending.push(before[index] ?? 0);
    // If the file has no request for this response, it was sent before the file began.
    else requests.push({ requestedAfter: pending.shift() ?? 0, answeredAt: line.t });
  }
  return requests;
}
