import type { EventKind } from '../controller/report/reportTable.ts';
import { contributions, controllerNames } from '../controllers/controllers.ts';
import type { RecordedEvent } from './file/lines.ts';

const kinds: ReadonlyMap<string, EventKind> = new Map(
  controllerNames.flatMap((of) => Object.entries(contributions[of].recorded.eventKinds)),
);

export function isEventType(out: unknown): out is string {
  return typeof out === 'string' && kinds.has(out);
}

/** Returns true if an event is a decision, which a replay has to reproduce. */
export function isDecision({ out }: RecordedEvent): boolean {
  return kinds.get(out)?.isDecision === true;
}

/** Returns an event in words. */
export function wordsOf(out: string): string {
  return kinds.get(out)?.words ?? out;
}
