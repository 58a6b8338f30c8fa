import type { LogLevel } from '../../base/log.ts';
import type { EventContent, Reasons } from './reasons.ts';

/** How a timeline prints a type of event. */
export interface EventKind {
  readonly words: string;
  /** A replay has to reproduce the event. */
  readonly isDecision: boolean;
  /** The timeline of the live page shows the event. */
  readonly isOnPage: boolean;
}

/** The second argument of `decision` and `report`. */
export const onPage = true;

export function decision(words: string, isOnPage = false): EventKind {
  return { words, isDecision: true, isOnPage };
}

export function report(words: string, isOnPage = false): EventKind {
  return { words, isDecision: false, isOnPage };
}

/** An event of a controller. `failure`: the class of the error of a request that is retried. */
export interface ReportedEvent {
  readonly type: string;
  readonly failure?: string;
}

/**
 * Everything that is reported of one type of event. The functions are methods, because a reader of a table passes them
 * the event whose type has selected the row, which the compiler cannot verify for functions.
 */
interface ReportRow<Event, Content, Outcome, Context> extends EventKind {
  /** The log line, without the fields that all events of the controller have. */
  log(event: Event, context: Context): LogLine;
  /** The Kubernetes Event. Undefined: the event concerns only the operator of weeder, or resolves without action. */
  event?(event: Event, context: Context): Content | undefined;
  /** The result under which the metrics of the controller count the event. */
  outcome?(event: Event): Outcome;
  /** The rest of its line in a timeline: only names and classes, and nothing that depends on timing alone. */
  detail?(event: Event): string;
}

/** One row for each type of event. `Context`: what the texts depend on in addition to the event. */
export type ReportTable<Event extends ReportedEvent, Content, Outcome, Context> = {
  readonly [T in Event['type']]: ReportRow<Extract<Event, { readonly type: T }>, Content, Outcome, Context>;
};

/** The table of a controller that records Events for these reasons. */
export type TableOf<Event extends ReportedEvent, R extends Reasons, Outcome, Context = undefined> = ReportTable<
  Event,
  EventContent<R>,
  Outcome,
  Context
>;

export function rowOf<Event extends ReportedEvent, Content, Outcome, Context>(
  table: ReportTable<Event, Content, Outcome, Context>,
  event: Event,
): ReportRow<Event, Content, Outcome, Context> {
  const type: Event['type'] = event.type;
  return table[type];
}

interface LogLine {
  readonly level: LogLevel;
  readonly message: string;
  readonly fields: object;
}

/** Returns a function that makes log lines of a level. */
function lineOf(level: LogLevel): (message: string, fields?: object) => LogLine {
  return (message, fields = {}) => ({ level, message, fields });
}

export const logLine = { debug: lineOf('debug'), info: lineOf('info'), warn: lineOf('warn'), error: lineOf('error') };
