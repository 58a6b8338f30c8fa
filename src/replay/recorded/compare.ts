import { isDecision } from '../../recording/events.ts';
import type { Replay, TimelineEvent } from './timelineEvent.ts';

/**
 * A decision that only one of the two came to, or that they came to at different times. `late`: it was recorded later
 * than it was due, as by a process that had to wait for its turn; the decision is the same.
 */
export type Difference =
  | { readonly kind: 'missing' | 'extra'; readonly event: TimelineEvent }
  | { readonly kind: 'moved' | 'late'; readonly event: TimelineEvent; readonly replayedAt: number };

/**
 * In a replay every timer is punctual, in the recorded run it waited for the event loop: reading a long list held that
 * for 30 ms, in the worst case measured for 440 ms, and timers are late by as much. The shortest time that the weeder
 * decides by is the 2 s of a silent back-off, so what differs by less than this is the same decision. Milliseconds.
 */
export const tolerance = 250;

/** A process that waits for longer has lost its streams and its Lease, too. Milliseconds. */
const mostLate = 5_000;

/** How many were late, and the latest of them by how much, in milliseconds. */
export function lateness(found: readonly Difference[]): { readonly count: number; readonly most: number } {
  const delays = found.flatMap((each) => (each.kind === 'late' ? [each.event.t - each.replayedAt] : []));
  return { count: delays.length, most: Math.max(0, ...delays) };
}

/** Where the decisions of the replay differ from the recorded ones, in the order of their times. */
export function differences({ recorded, replayed, endedAt }: Replay): Difference[] {
  const [then, now] = [byText(recorded), byText(replayed)];
  // What was about to be decided when the recording ended is not in it.
  const counts = ({ t }: TimelineEvent) => t <= endedAt - tolerance;
  const found = [...new Set([...then.keys(), ...now.keys()])].flatMap((text): Difference[] => {
    const { missing, extra } = unmatched(then.get(text) ?? [], now.get(text) ?? []);
    const moved = missing.map((event) => movedOrMissing(event, extra));
    return [...moved, ...extra.filter(counts).map((event): Difference => ({ kind: 'extra', event }))];
  });
  return found.sort((a, b) => a.event.t - b.event.t);
}

/** Decisions that differ by their time alone, in the order of their times. Windows are numbered from 1 again in a replay. */
function byText(events: readonly TimelineEvent[]): Map<string, TimelineEvent[]> {
  const groups = Map.groupBy(events.filter(isDecision), ({ out, about, pod, detail }) =>
    [out, about, pod ?? '', detail].join('\n'),
  );
  for (const group of groups.values()) group.sort((a, b) => a.t - b.t);
  return groups;
}

/** Pairs what was decided at the same time on both sides, in its order; what is left has no counterpart there. */
function unmatched(recorded: readonly TimelineEvent[], replayed: readonly TimelineEvent[]) {
  const [missing, extra]: [TimelineEvent[], TimelineEvent[]] = [[], []];
  const left = replayed.values();
  let next = left.next().value;
  for (const event of recorded) {
    while (next !== undefined && next.t < event.t - tolerance) {
      extra.push(next);
      next = left.next().value;
    }
    if (next !== undefined && next.t <= event.t + tolerance) next = left.next().value;
    else missing.push(event);
  }
  if (next !== undefined) extra.push(next, ...left);
  return { missing, extra };
}

/** Takes the nearest of what is left on the other side, as the same decision at another time. */
function movedOrMissing(event: TimelineEvent, extra: TimelineEvent[]): Difference {
  const [nearest] = extra.toSorted((a, b) => Math.abs(a.t - event.t) - Math.abs(b.t - event.t));
  if (nearest === undefined) return { kind: 'missing', event };
  extra.splice(extra.indexOf(nearest), 1);
  const delay = event.t - nearest.t;
  return { kind: delay > 0 && delay <= mostLate ? 'late' : 'moved', event, replayedAt: nearest.t };
}
