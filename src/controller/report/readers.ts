import type { EventDraft, ObjectRef } from '@weeder/kube-runtime/events';
import type { Logger } from '../../base/log.ts';
import { type ReportedEvent, type ReportTable, rowOf } from './reportTable.ts';

/** Writes each event as one log line, which starts with the fields of `about`. */
export function logByTable<Event extends ReportedEvent, Context>(
  table: ReportTable<Event, unknown, unknown, Context>,
  about: (event: Event) => object,
  logger: Logger,
  context: Context,
): (event: Event) => void {
  return (event) => {
    const { level, fields, message } = rowOf(table, event).log(event, context);
    logger[level]({ ...about(event), ...fields }, message);
  };
}

/** Records the Kubernetes Events of a table. `regarding` is called once for each. */
export function recordByTable<Event extends ReportedEvent, Context>(
  table: ReportTable<Event, Omit<EventDraft, 'regarding'>, unknown, Context>,
  regarding: (event: Event) => ObjectRef | undefined,
  record: (occurrence: EventDraft) => void,
  context: Context,
): (event: Event) => void {
  return (event) => {
    const content = rowOf(table, event).event?.(event, context);
    const object = content && regarding(event);
    if (content !== undefined && object !== undefined) record({ regarding: object, ...content });
  };
}

/** The rest of the line of an event in a timeline. */
export function detailOf<Event extends ReportedEvent>(
  table: ReportTable<Event, unknown, unknown, never>,
  event: Event,
): string {
  return rowOf(table, event).detail?.(event) ?? '';
}
