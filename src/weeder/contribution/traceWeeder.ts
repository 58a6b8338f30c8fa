import { keyOf } from '@weeder/kube-runtime/objects';
import { setNewest } from '../../base/newest.ts';
import { rowOf } from '../../controller/report/reportTable.ts';
import {
  addSpanEvent,
  objectAttributes,
  objectTextAttributes,
  type Span,
  type SpanAttributes,
  type SpanEvent,
  type TraceEvents,
} from '../../controller/report/span.ts';
import type { WeederEvent } from '../deletions/weederEvents.ts';
import { backOffSaved } from '../pods/backOff.ts';
import { type WeederOutcome, weederTable } from '../report/weederTable.ts';

type Closed = Extract<WeederEvent, { readonly type: 'window.closed' }>;
/** An event about one pod, or one object whose pods a webhook refused. */
type Concerning = Extract<WeederEvent, { readonly pod: unknown } | { readonly owner: unknown }>;

/** What a window does about one pod or object. */
interface Operation extends Pick<Span, 'name' | 'start' | 'attributes'> {
  readonly events: SpanEvent[];
}

interface OpenWindow {
  readonly openedAt: number;
  readonly downSince: number | undefined;
  /** By the uid of the pod or object. */
  readonly operations: Map<string, Operation>;
  readonly ended: Span[];
  readonly events: SpanEvent[];
  notTraced: number;
}

/** The results of events that the metrics of deletions do not count. */
const otherResults: Readonly<Partial<Record<WeederEvent['type'], string>>> = {
  'pod.skipped': 'skipped',
  'creation.retried': 'retried',
  'creation.unneeded': 'unneeded',
  'creation.failed': 'failed',
};

/**
 * Makes one trace of each recovery of a service: from when the service was down, if that was observed, to the end of its
 * window. Within it are the outage and the window; within the window, one span for each pod and object that it concerned.
 * Keeps at most `maxKept` windows and operations at once. Operations beyond that are counted, and windows beyond it have
 * no trace.
 */
export function traceWeeder(maxKept = 4_096): TraceEvents<WeederEvent> {
  const downSince = new Map<string, number>();
  /** By service, and by number. */
  const windows = new Map<string, Map<number, OpenWindow>>();
  let kept = 0;

  function keep<T>(make: () => T): T | undefined {
    if (kept >= maxKept) return undefined;
    kept += 1;
    return make();
  }

  function recordDown(key: string, t: number): void {
    if (!downSince.has(key)) setNewest(downSince, key, t, maxKept);
    for (const { events } of windows.get(key)?.values() ?? [])
      addSpanEvent(events, { name: 'service.notReady', t, attributes: {} });
  }

  function open(key: string, number: number, t: number): void {
    const outage = { openedAt: t, downSince: downSince.get(key) };
    const window = keep(() => ({ ...outage, operations: new Map(), ended: [], events: [], notTraced: 0 }));
    downSince.delete(key);
    if (window !== undefined) windows.set(key, (windows.get(key) ?? new Map()).set(number, window));
  }

  function operate(event: Concerning, window: OpenWindow, t: number): void {
    const { uid } = 'pod' in event ? event.pod : event.owner;
    const result = resultOf(event);
    const operation = window.operations.get(uid) ?? keep(() => operationOf(event, window.openedAt, t));
    if (operation === undefined) {
      if (result !== undefined) window.notTraced += 1;
    } else if (result === undefined) {
      window.operations.set(uid, operation);
      addSpanEvent(operation.events, { name: event.type, t, attributes: reasonsIn(event) });
    } else {
      window.operations.delete(uid);
      window.ended.push(endOf(operation, event, result, t));
    }
  }

  function close(event: Closed, key: string, window: OpenWindow, t: number): Span {
    const others = windows.get(key);
    others?.delete(event.window);
    if (others?.size === 0) windows.delete(key);
    kept -= 1 + window.operations.size + window.ended.length;
    return recoveryOf(event, window, t);
  }

  function inWindow(event: WeederEvent & { readonly window: number }, key: string, t: number): Span | undefined {
    const window = windows.get(key)?.get(event.window);
    if (window === undefined || event.type === 'pod.logRead') return undefined;
    if (event.type === 'window.closed') return close(event, key, window, t);
    if ('pod' in event || 'owner' in event) operate(event, window, t);
    return undefined;
  }

  return (event, t) => {
    if (!('service' in event)) return undefined;
    const key = keyOf(event.namespace, event.service);
    if (event.type === 'service.notReady') recordDown(key, t);
    if (event.type === 'service.ready') downSince.delete(key);
    if (event.type === 'window.opened') open(key, event.window, t);
    return 'window' in event ? inWindow(event, key, t) : undefined;
  };
}

function recoveryOf(event: Closed, window: OpenWindow, t: number): Span {
  const { openedAt, downSince, ended, events, operations, notTraced } = window;
  const { namespace, service: name, deleted, retried, skipped, failed, isReplaced, handedOverTo } = event;
  const service = objectAttributes({ kind: 'Service', namespace, name });
  const outage = { name: 'outage', end: openedAt, attributes: service, events: [], children: [] };
  // Another window continues these, or another process.
  const left = [...operations.values()].map((each) => spanOf(each, t, { 'weeder.result': 'unfinished' }));
  const attributes = {
    ...service,
    'weeder.window': event.window,
    'weeder.window.because': event.because,
    'weeder.window.replaced': isReplaced,
    'weeder.window.handed_over_to': handedOverTo,
    'weeder.pods.deleted': deleted,
    'weeder.pods.skipped': skipped,
    'weeder.pods.failed': failed.length,
    'weeder.objects.retried': retried,
    'weeder.not_traced': notTraced === 0 ? undefined : notTraced,
  };
  const problem = failed.length === 0 ? undefined : `${failed.length} not deleted`;
  const children = [...ended, ...left];
  const opened: Span = { name: 'window', start: openedAt, end: t, attributes, events, children, problem };
  return {
    ...{ name: 'recovery', start: downSince ?? openedAt, end: t, attributes, events: [], problem },
    children: [...(downSince === undefined ? [] : [{ ...outage, start: downSince }]), opened],
  };
}

/** A pod that crash-looped before the window waits since it opened, a later one since it has crashed. */
function operationOf(event: Concerning, openedAt: number, t: number): Operation {
  if (!('pod' in event))
    return { name: 'retry creation', start: t, attributes: objectAttributes(event.owner), events: [] };
  const {
    namespace,
    name,
    uid,
    container,
    workload,
    cause,
    restarts,
    createdAt = openedAt,
    finishedAt = createdAt,
  } = event.pod;
  const attributes = {
    ...objectTextAttributes(workload),
    ...objectAttributes({ kind: 'Pod', namespace, name, uid }),
    'k8s.container.name': container,
    'k8s.container.restart_count': restarts,
    'weeder.cause': cause,
  };
  return { name: 'delete pod', start: Math.max(openedAt, Math.min(finishedAt, t)), attributes, events: [] };
}

function endOf(operation: Operation, event: Concerning, result: string, t: number): Span {
  const refusals = operation.events.filter(({ name }) => name.endsWith('.refused')).length;
  const isDone = event.type === 'pod.deleted' || event.type === 'creation.retried';
  const attributes = {
    ...reasonsIn(event),
    'weeder.result': result,
    'weeder.attempts': refusals + (isDone ? 1 : 0),
    // Whole seconds: OTLP sends a fraction as another type, and an attribute has one type.
    'weeder.back_off.saved': event.type === 'pod.deleted' ? Math.round(backOffSaved(event, t) / 1000) : undefined,
  };
  if (result !== 'failed' || !('reason' in event)) return spanOf(operation, t, attributes);
  const classes = operation.events.flatMap((refusal) => refusal.attributes['error.type'] ?? []);
  return spanOf(operation, t, { ...attributes, 'error.type': classes.at(-1) }, event.reason);
}

function spanOf(operation: Operation, end: number, more: SpanAttributes, problem?: string): Span {
  return { ...operation, end, attributes: { ...operation.attributes, ...more }, children: [], problem };
}

function resultOf(event: WeederEvent): string | undefined {
  if ('isDryRun' in event && event.isDryRun) return 'dry_run';
  const row = rowOf<WeederEvent, unknown, WeederOutcome, never>(weederTable, event);
  return row.outcome?.(event) ?? otherResults[event.type];
}

function reasonsIn(event: Concerning): SpanAttributes {
  return {
    'weeder.reason': 'reason' in event ? event.reason : undefined,
    'weeder.held_by': 'heldBy' in event ? event.heldBy : undefined,
    'weeder.attempt': 'attempt' in event ? event.attempt : undefined,
    'error.type': 'failure' in event ? event.failure : undefined,
  };
}
