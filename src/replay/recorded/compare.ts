import { largest, parseDuration } from '@weeder/kube-runtime/base';
import { isDecision } from '../../recording/events.ts';
import { tolerance } from '../played/recordedValues.ts';
import type { Replay, TimelineEvent } from './timelineEvent.ts';

/**
 * A decision in only one of the two runs, or at different times in both. `late`: it was recorded later than it was due,
 * because the process had to wait; the decision is the same.
 */
export type Difference =
  | { readonly type: 'missing' | 'extra'; readonly event: TimelineEvent }
  | { readonly type: 'moved' | 'late'; readonly event: TimelineEvent; readonly replayedAt: number };

/** A process that waits for longer has also lost its streams and its Lease. Milliseconds. */
const maxLateness = 5_000;

/** Returns the number of late decisions, and the longest delay in milliseconds. */
export function lateness(differences: readonly Difference[]): { readonly count: number; readonly max: number } {
  const delays = differences.flatMap((each) => (each.type === 'late' ? [each.event.t - each.replayedAt] : []));
  return { count: delays.length, max: Math.max(0, largest(delays) ?? 0) };
}

/** Returns true if the decision itself differs, or its time by more than a busy machine explains. */
export function isDeviation({ type }: Difference): boolean {
  return type !== 'late';
}

/** Returns the decisions of the replay that differ from the recorded ones, in the order of their times. */
export function differences({ recorded, replayed, endedAt }: Replay): Difference[] {
  const [then, now] = [byText(recorded), byText(replayed)];
  // A decision that was due when the recording ended is not in it.
  const counts = ({ t }: TimelineEvent) => t <= endedAt - tolerance;
  const deviations = [...new Set([...then.keys(), ...now.keys()])].flatMap((text): Difference[] => {
    const { missing, extra } = unmatched(then.get(text) ?? [], now.get(text) ?? []);
    const moved = missing.map((event) => movedOrMissing(event, extra));
    return [...moved, ...extra.filter(counts).map((event): Difference => ({ type: 'extra', event }))];
  });
  return deviations.sort((a, b) => a.event.t - b.event.t);
}

/**
 * Groups the decisions that differ only by their times, in the order of these. A replay numbers the windows from 1
 * again.
 */
function byText(events: readonly TimelineEvent[]): Map<string, TimelineEvent[]> {
  const groups = Map.groupBy(events.filter(isDecision), (event) => {
    const { out, about, pod = '', detail } = event;
    return [out, about, pod, lengthOf(event) === undefined ? detail : 'a length'].join('\n');
  });
  for (const group of groups.values()) group.sort((a, b) => a.t - b.t);
  return groups;
}

/** The length that is the whole detail of a decision, in milliseconds: the window that opened. */
function lengthOf({ detail }: TimelineEvent): number | undefined {
  const length = parseDuration(detail);
  return length.ok ? length.value : undefined;
}

/** A length is the difference of two times, so it has their tolerance. */
function isAsLong(one: TimelineEvent, other: TimelineEvent): boolean {
  return Math.abs((lengthOf(one) ?? 0) - (lengthOf(other) ?? 0)) <= tolerance;
}

/** Pairs the decisions of the same time in both runs, in their order. Returns those without a counterpart. */
function unmatched(recorded: readonly TimelineEvent[], replayed: readonly TimelineEvent[]) {
  const [missing, extra]: [TimelineEvent[], TimelineEvent[]] = [[], []];
  const remaining = replayed.values();
  let next = remaining.next().value;
  for (const event of recorded) {
    while (next !== undefined && next.t < event.t - tolerance) {
      extra.push(next);
      next = remaining.next().value;
    }
    if (next !== undefined && next.t <= event.t + tolerance && isAsLong(next, event)) next = remaining.next().value;
    else missing.push(event);
  }
  return { missing, extra: next === undefined ? extra : [...extra, next, ...remaining] };
}

/** Pairs a decision with the nearest unpaired one of the replay, as the same decision at another time. */
function movedOrMissing(event: TimelineEvent, extra: TimelineEvent[]): Difference {
  const [nearest] = extra
    .filter((each) => isAsLong(each, event))
    .sort((a, b) => Math.abs(a.t - event.t) - Math.abs(b.t - event.t));
  if (nearest === undefined) return { type: 'missing', event };
  extra.splice(extra.indexOf(nearest), 1);
  const delay = event.t - nearest.t;
  return { type: delay > 0 && delay <= maxLateness ? 'late' : 'moved', event, replayedAt: nearest.t };
}
