import type { Counter } from 'prom-client';
import { type ReportedEvent, type ReportTable, rowOf } from '../controller/report/reportTable.ts';
import { limitedLabel, snakeCase } from './labels.ts';
import type { Metrics } from './metrics.ts';

interface Counters<Event, Outcome> {
  readonly metrics: Metrics;
  readonly count: (event: Event, result: Outcome) => void;
  /** Refused requests that are retried, by the class of the error. */
  readonly retries: Counter<'error'>;
  /** Errors that a person can act on start at 0. */
  readonly errors: readonly string[];
  readonly maxErrors: number;
}

/** Counts the outcomes of a table, the requests that are retried, and the actors that failed. */
export function countByTable<Event extends ReportedEvent, Outcome>(
  table: ReportTable<Event, unknown, Outcome, never>,
  { metrics, count, retries, errors, maxErrors }: Counters<Event, Outcome>,
): (event: Event) => void {
  const errorOf = limitedLabel(maxErrors);
  for (const error of errors) retries.inc({ error: errorOf(snakeCase(error)) }, 0);
  return (event) => {
    const outcome = rowOf(table, event).outcome?.(event);
    if (outcome !== undefined) count(event, outcome);
    if (event.failure !== undefined) retries.inc({ error: errorOf(snakeCase(event.failure)) });
    if (event.type === 'actor.failed') metrics.actorFailures.inc();
  };
}
