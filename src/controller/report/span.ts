/** An operation that has ended, with the operations within it; one without a parent is a trace. Times: epoch milliseconds. */
export interface Span {
  readonly name: string;
  readonly start: number;
  readonly end: number;
  readonly attributes: SpanAttributes;
  /** What happened at a point in time. */
  readonly events: readonly SpanEvent[];
  readonly children: readonly Span[];
  /** Why the operation failed, as a sentence or a class. Undefined: it did not. */
  readonly problem?: string | undefined;
}

export interface SpanEvent {
  readonly name: string;
  readonly t: number;
  readonly attributes: SpanAttributes;
}

/** The default of OpenTelemetry: further ones would not be exported. */
const maxEvents = 128;

export function addSpanEvent(events: SpanEvent[], event: SpanEvent): void {
  if (events.length < maxEvents) events.push(event);
}

/** Named by the semantic conventions of OpenTelemetry, or `weeder.…`. Undefined: left out. */
export type SpanAttributes = Readonly<Record<string, string | number | boolean | string[] | undefined>>;

/** Takes each event of a manager with its time, and returns the trace that it ends. */
export type TraceEvents<Event> = (event: Event, t: number) => Span | undefined;

/** The kinds whose names have an attribute in the semantic conventions. */
const named: readonly string[] = [
  'Pod',
  'Service',
  'Deployment',
  'ReplicaSet',
  'StatefulSet',
  'DaemonSet',
  'Job',
  'CronJob',
  'ReplicationController',
];

interface NamedObject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid?: string;
}

/** The attributes of an object: `k8s.namespace.name`, `k8s.deployment.name`, `k8s.deployment.uid`. */
export function objectAttributes({ kind, namespace, name, uid }: NamedObject): SpanAttributes {
  const prefix = named.includes(kind) ? `k8s.${kind.toLowerCase()}` : 'weeder.object';
  const other = named.includes(kind) ? {} : { 'weeder.object.kind': kind };
  return { 'k8s.namespace.name': namespace, [`${prefix}.name`]: name, [`${prefix}.uid`]: uid, ...other };
}

/** The same of a text such as `Deployment shop/web`. */
export function objectTextAttributes(text: string): SpanAttributes {
  const [, kind = '', namespace = '', name = ''] = /^(\S+) ([^/]*)\/(.*)$/.exec(text) ?? [];
  return kind === '' ? {} : objectAttributes({ kind, namespace, name });
}
