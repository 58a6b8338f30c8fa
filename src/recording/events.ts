import type { EventKind } from '../controller/report/reportTable.ts';
import { observerEventKinds, type RecordedObserverEvent } from '../observer/recording/recordedObserverEvent.ts';
import { type RecordedRestartEvent, restartEventKinds } from '../restart/recording/recordedRestartEvent.ts';
import { type RecordedWeederEvent, weederEventKinds } from '../weeder/recording/recordedWeederEvent.ts';

/** An event of any of the controllers. */
export interface RecordedEvent extends Omit<RecordedWeederEvent, 'out'> {
  readonly out: RecordedWeederEvent['out'] | RecordedRestartEvent['out'] | RecordedObserverEvent['out'];
}

const kinds: Readonly<Record<RecordedEvent['out'], EventKind>> = {
  ...weederEventKinds,
  ...restartEventKinds,
  ...observerEventKinds,
};

/** Returns true if an event is a decision, which a replay has to reproduce. */
export function isDecision({ out }: RecordedEvent): boolean {
  return kinds[out].isDecision;
}

/** Returns an event in words. */
export function wordsOf(out: RecordedEvent['out']): string {
  return kinds[out].words;
}
