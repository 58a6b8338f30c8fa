import { z } from 'zod';
import type { ReceivedSpan } from '../../../support/otlp/otlp.ts';

/** What a collector has received, from its lines of JSON. */
export interface Collected {
  readonly spans: readonly CollectedSpan[];
  /** Of each export, the oldest first. */
  readonly metrics: readonly CollectedMetrics[];
}

type Attributes = z.infer<typeof Attributes>;
type Metric = z.infer<typeof Metric>;

interface CollectedSpan extends ReceivedSpan {
  readonly scope: z.infer<typeof Scope>;
  readonly status: z.infer<typeof Status>;
}

interface CollectedMetrics {
  readonly resource: Attributes;
  readonly scope: z.infer<typeof Scope>;
  readonly metrics: readonly Metric[];
}

const Scalar = z.union([
  z.strictObject({ stringValue: z.string() }).transform((value) => value.stringValue),
  z.strictObject({ boolValue: z.boolean() }).transform((value) => value.boolValue),
  z.strictObject({ intValue: z.coerce.number() }).transform((value) => value.intValue),
  z.strictObject({ doubleValue: z.number() }).transform((value) => value.doubleValue),
]);
const List = z
  .strictObject({ arrayValue: z.strictObject({ values: z.array(Scalar) }) })
  .transform((value) => value.arrayValue.values);
const Attributes = z
  .array(z.strictObject({ key: z.string(), value: z.union([Scalar, List]) }))
  .default([])
  .transform((pairs) => Object.fromEntries(pairs.map(({ key, value }) => [key, value])));
const Resource = z.strictObject({ attributes: Attributes });
const Scope = z.strictObject({ name: z.string(), version: z.string() });
const Nanoseconds = z.string().transform((text) => Number(text) / 1_000_000);

const Status = z.strictObject({ code: z.number().default(0), message: z.string().optional() });
const Event = z.strictObject({ name: z.string(), timeUnixNano: Nanoseconds, attributes: Attributes });
const Span = z.strictObject({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().default(''),
  flags: z.number(),
  name: z.string(),
  kind: z.number(),
  startTimeUnixNano: Nanoseconds,
  endTimeUnixNano: Nanoseconds,
  attributes: Attributes,
  events: z.array(Event).default([]),
  status: Status,
});
const Traces = z.strictObject({
  resourceSpans: z.array(
    z.strictObject({
      resource: Resource,
      scopeSpans: z.array(z.strictObject({ scope: Scope, spans: z.array(Span) })),
    }),
  ),
});

const point = { attributes: Attributes, startTimeUnixNano: Nanoseconds, timeUnixNano: Nanoseconds };
/** Without NaN, which would be a text. */
const Numbers = z.array(z.strictObject({ ...point, asDouble: z.number() })).min(1);
const HistogramPoint = z.strictObject({
  ...point,
  count: z.coerce.number().default(0),
  sum: z.number(),
  bucketCounts: z.array(z.coerce.number()),
  explicitBounds: z.array(z.number()),
});
const aggregationTemporality = z.number();
/** As OTLP has it: a temporality of 2 is cumulative. */
const Metric = z.strictObject({
  name: z.string(),
  description: z.string(),
  unit: z.string().default(''),
  gauge: z.strictObject({ dataPoints: Numbers }).optional(),
  sum: z.strictObject({ dataPoints: Numbers, aggregationTemporality, isMonotonic: z.boolean() }).optional(),
  histogram: z.strictObject({ dataPoints: z.array(HistogramPoint).min(1), aggregationTemporality }).optional(),
});
const Metrics = z.strictObject({
  resourceMetrics: z.array(
    z.strictObject({
      resource: Resource,
      scopeMetrics: z.array(z.strictObject({ scope: Scope, metrics: z.array(Metric) })),
    }),
  ),
});

export function readLines(text: string): Collected {
  const whole = text.slice(0, text.lastIndexOf('\n') + 1).split('\n');
  const data = whole.filter((line) => line.startsWith('{')).map((line) => JSON.parse(line));
  return {
    spans: data.flatMap((line) => ('resourceSpans' in line ? spansIn(Traces.parse(line)) : [])),
    metrics: data.flatMap((line) => ('resourceSpans' in line ? [] : metricsIn(Metrics.parse(line)))),
  };
}

function spansIn({ resourceSpans }: z.infer<typeof Traces>): CollectedSpan[] {
  return resourceSpans.flatMap(({ resource, scopeSpans }) =>
    scopeSpans.flatMap(({ scope, spans }) =>
      spans.map(({ traceId: trace, spanId: id, parentSpanId: parent, status, name, attributes, ...span }) => ({
        ...{ trace, id, parent, name, attributes, status, scope, resource: resource.attributes },
        ...{ start: span.startTimeUnixNano, end: span.endTimeUnixNano, isError: status.code === 2 },
        events: span.events.map((event) => event.name),
      })),
    ),
  );
}

function metricsIn({ resourceMetrics }: z.infer<typeof Metrics>): CollectedMetrics[] {
  return resourceMetrics.flatMap(({ resource: { attributes: resource }, scopeMetrics }) =>
    scopeMetrics.map((ofScope) => ({ resource, ...ofScope })),
  );
}
