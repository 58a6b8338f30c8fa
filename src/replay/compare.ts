import { isDecision } from '../recording/told.ts';
import type { Replay, Timed } from './replayRecording.ts';

/** A decision that only one of the two came to, or that they came to at different times. */
export type Difference =
  | { readonly kind: 'missing' | 'extra'; readonly fact: Timed }
  | { readonly kind: 'moved'; readonly fact: Timed; readonly replayedAt: number };

/**
 * In a replay every timer is punctual, in the recorded run it waited for the event loop: reading a long list held that
 * for 30 ms, in the worst case measured for 440 ms, and timers are late by as much. The shortest time that the weeder
 * decides by is the 2 s of a silent back-off, so what differs by less than this is the same decision. Milliseconds.
 */
export const tolerance = 250;

/** Where the decisions of the replay differ from the recorded ones, in the order of their times. */
export function differences({ recorded, replayed, endedAt }: Replay): Difference[] {
  const left = replayed.filter(isDecision);
  const found = recorded.filter(isDecision).flatMap((fact): Difference[] => {
    const index = nearest(left, fact);
    if (index === -1) return [{ kind: 'missing', fact }];
    const [match] = left.splice(index, 1);
    const replayedAt = match?.t ?? fact.t;
    return Math.abs(replayedAt - fact.t) > tolerance ? [{ kind: 'moved', fact, replayedAt }] : [];
  });
  // What was about to be decided when the recording ended is not in it.
  const extra = left.filter(({ t }) => t <= endedAt - tolerance).map((fact): Difference => ({ kind: 'extra', fact }));
  return [...found, ...extra].sort((a, b) => a.fact.t - b.fact.t);
}

/** The same decision that is nearest in time; -1: there is none. Windows are counted anew in a replay. */
function nearest(facts: readonly Timed[], wanted: Timed): number {
  let best = -1;
  let distance = Number.POSITIVE_INFINITY;
  for (const [index, fact] of facts.entries()) {
    const isSame = textOf(fact) === textOf(wanted);
    if (isSame && Math.abs(fact.t - wanted.t) < distance) {
      best = index;
      distance = Math.abs(fact.t - wanted.t);
    }
  }
  return best;
}

function textOf({ out, about, pod, detail }: Timed): string {
  return [out, about, pod ?? '', detail].join('\n');
}
