import type { EventKind } from '../controller/report/reportTable.ts';
import { contributions, controllerNames } from '../controllers/controllers.ts';
import type { RecordedEvent } from './file/lines.ts';

interface EventForm {
  readonly kind: EventKind;
  readonly objectOf: (event: RecordedEvent) => string;
}

const forms: ReadonlyMap<string, EventForm> = new Map(
  controllerNames.flatMap((of) => {
    const { eventKinds, objectOf } = contributions[of].recorded;
    return Object.entries(eventKinds).map(([out, kind]) => [out, { kind, objectOf }] as const);
  }),
);

export function isEventType(out: unknown): out is string {
  return typeof out === 'string' && forms.has(out);
}

/** Returns true if an event is a decision, which a replay has to reproduce. */
export function isDecision({ out }: RecordedEvent): boolean {
  return forms.get(out)?.kind.isDecision === true;
}

/** Returns an event in words. */
export function wordsOf(out: string): string {
  return forms.get(out)?.kind.words ?? out;
}

/** The object that an event is about, as messages and the live page name it: `Deployment shop/web`. */
export function objectOf(event: RecordedEvent): string {
  return forms.get(event.out)?.objectOf(event) ?? event.about;
}
