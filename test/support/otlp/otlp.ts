import { type Message, readMessage } from './protobuf.ts';

type Scalar = string | number | boolean;
type Attributes = Readonly<Record<string, Scalar | readonly Scalar[]>>;

/** A span as a collector receives it. Times are epoch milliseconds. */
export interface ReceivedSpan {
  readonly trace: string;
  readonly id: string;
  /** Empty: it has no parent. */
  readonly parent: string;
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly attributes: Attributes;
  readonly events: readonly string[];
  readonly isError: boolean;
  readonly resource: Attributes;
}

/** A sample as `/metrics` has it, which OTLP sends in another form. */
export interface ReceivedSample {
  readonly name: string;
  readonly labels: Attributes;
  readonly value: number;
}

export interface ReceivedMetrics {
  readonly resource: Attributes;
  readonly samples: readonly ReceivedSample[];
  readonly types: Readonly<Record<string, string>>;
}

/** Reads an ExportTraceServiceRequest. */
export function readSpans(body: Buffer): ReceivedSpan[] {
  return readMessage(body)
    .messages(1)
    .flatMap((ofResource) => {
      const resource = resourceOf(ofResource);
      const spans = ofResource.messages(2).flatMap((ofScope) => ofScope.messages(2));
      return spans.map((span) => ({ ...spanOf(span), resource }));
    });
}

function spanOf(span: Message): Omit<ReceivedSpan, 'resource'> {
  const [status] = span.messages(15);
  return {
    trace: span.hex(1),
    id: span.hex(2),
    parent: span.hex(4),
    name: span.texts(5)[0] ?? '',
    start: millisecondsIn(span, 7),
    end: millisecondsIn(span, 8),
    attributes: attributesOf(span.messages(9)),
    events: span.messages(11).flatMap((event) => event.texts(2)),
    isError: status?.integers(3)[0] === 2n,
  };
}

/** Reads an ExportMetricsServiceRequest. */
export function readMetrics(body: Buffer): ReceivedMetrics {
  const [ofResource] = readMessage(body).messages(1);
  if (ofResource === undefined) throw new Error('metrics without a resource');
  const metrics = ofResource.messages(2).flatMap((ofScope) => ofScope.messages(2));
  return {
    resource: resourceOf(ofResource),
    types: Object.fromEntries(metrics.map((metric) => [metric.texts(1)[0], typeOf(metric)])),
    samples: metrics.flatMap((metric) => [
      ...[...metric.messages(5), ...metric.messages(7)].flatMap((data) => numbersOf(metric, data)),
      ...metric.messages(9).flatMap((data) => histogramsOf(metric, data)),
    ]),
  };
}

/** A sum counts as a counter if it is cumulative and never decreases. */
function typeOf(metric: Message): string {
  const [sum] = metric.messages(7);
  if (sum !== undefined) return sum.integers(2)[0] === 2n && sum.integers(3)[0] === 1n ? 'counter' : 'sum';
  return metric.messages(9).length > 0 ? 'histogram' : 'gauge';
}

function numbersOf(metric: Message, data: Message): ReceivedSample[] {
  const [name = ''] = metric.texts(1);
  return data
    .messages(1)
    .map((point) => ({ name, labels: attributesOf(point.messages(7)), value: point.doubles(4)[0] ?? 0 }));
}

function histogramsOf(metric: Message, data: Message): ReceivedSample[] {
  const [name = ''] = metric.texts(1);
  return data.messages(1).flatMap((point) => {
    const labels = attributesOf(point.messages(9));
    const bounds = [...point.doubles(7).map(String), '+Inf'];
    let below = 0;
    const buckets = point.packed(6).map((count, index) => {
      below += Number(count);
      return { name: `${name}_bucket`, labels: { ...labels, le: bounds[index] ?? '' }, value: below };
    });
    const count = { name: `${name}_count`, labels, value: Number(point.integers(4)[0]) };
    return [...buckets, { name: `${name}_sum`, labels, value: point.doubles(5)[0] ?? 0 }, count];
  });
}

function resourceOf(message: Message): Attributes {
  return attributesOf(message.messages(1).flatMap((resource) => resource.messages(1)));
}

function attributesOf(pairs: readonly Message[]): Attributes {
  return Object.fromEntries(
    pairs.map((pair) => {
      const [value] = pair.messages(2);
      const [list] = value?.messages(5) ?? [];
      return [pair.texts(1)[0], list === undefined ? scalarOf(value) : list.messages(1).map(scalarOf)];
    }),
  );
}

function scalarOf(value: Message | undefined): Scalar {
  const [integer, truth] = [value?.integers(3)[0], value?.integers(2)[0]];
  const number = value?.doubles(4)[0] ?? (integer === undefined ? undefined : Number(integer));
  return number ?? value?.texts(1)[0] ?? truth === 1n;
}

function millisecondsIn(message: Message, field: number): number {
  return Number(message.integers(field)[0]) / 1_000_000;
}
