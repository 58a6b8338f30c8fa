import { type Context, SpanStatusCode, type Tracer, trace } from '@opentelemetry/api';
import { boundedText, mostEntries } from '../base/boundedLog.ts';
import type { Span, SpanAttributes } from '../controller/report/span.ts';
import { hrTimeOf } from './hrTime.ts';

/** Gives a finished span and everything within it to OpenTelemetry. */
export function emitSpan(tracer: Tracer, span: Span, parent: Context): void {
  const { name, start, end, attributes, events, problem, children } = span;
  const emitted = tracer.startSpan(name, { startTime: hrTimeOf(start), attributes: bounded(attributes) }, parent);
  for (const event of events) emitted.addEvent(eventName(event.name), bounded(event.attributes), hrTimeOf(event.t));
  if (problem !== undefined) emitted.setStatus({ code: SpanStatusCode.ERROR, message: boundedText(problem) });
  const within = trace.setSpan(parent, emitted);
  for (const child of children) emitSpan(tracer, child, within);
  emitted.end(hrTimeOf(end));
}

/** By the semantic conventions, which have a namespace `service` of their own: `weeder.service.not_ready`. */
function eventName(type: string): string {
  return `weeder.${type.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}`;
}

/** With texts as long as those in the log: others write some of them. */
function bounded(attributes: SpanAttributes): SpanAttributes {
  const entries = Object.entries(attributes).map(([key, value]) => {
    if (Array.isArray(value)) return [key, value.slice(0, mostEntries).map((each) => boundedText(each))] as const;
    return [key, typeof value === 'string' ? boundedText(value) : value] as const;
  });
  return Object.fromEntries(entries);
}
