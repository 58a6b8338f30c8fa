import { randomBytes } from 'node:crypto';
import { apiPath } from '../objects/apiPath.ts';

/**
 * The object of an Event. `kubectl describe` finds the Event by `uid`; `kubectl events --for` by kind, apiVersion and
 * name.
 */
export interface ObjectRef {
  readonly apiVersion: string;
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string | undefined;
  /** An object that this one may control: if so, its owner reference has the exact name and uid of this one. */
  readonly controllerOf?: ObjectRef;
}

/** An Event to record, in the terms of `events.k8s.io/v1`. */
export interface EventDraft {
  readonly regarding: ObjectRef;
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly action: string;
  /** One or two sentences. */
  readonly note: string;
}

/** The reporting controller and instance. */
export interface EventSource {
  /** A qualified name, such as `weeder.dev/weeder`. */
  readonly controller: string;
  /** The pod or host. A value longer than 128 characters is truncated. */
  readonly instance: string;
}

/** How often the Event occurred, and when last, in epoch milliseconds. */
interface Series {
  readonly count: number;
  readonly lastObserved: number;
}

const longestName = 253;
const longestInstance = 128;

/** The path of the Events of a namespace, or of all, or of one Event. */
export function eventsPath(namespace: string | undefined, name?: string): string {
  return apiPath('events.k8s.io/v1', 'events', { namespace, name });
}

/** The Event as it is created, of a bounded draft; `time` is epoch milliseconds. */
export function eventBody(name: string, occurrence: EventDraft, source: EventSource, time: number, series: Series) {
  const { regarding, type, reason, action, note } = occurrence;
  return {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name, namespace: regarding.namespace },
    eventTime: microTime(time),
    reportingController: source.controller,
    reportingInstance: source.instance.slice(0, longestInstance),
    regarding,
    type,
    reason,
    action,
    note,
    ...seriesBody(series),
  };
}

/** The `series` of an Event; empty for a single occurrence. The API accepts a series from a count of 2. */
export function seriesBody({ count, lastObserved }: Series) {
  return count < 2 ? {} : { series: { count, lastObservedTime: microTime(lastObserved) } };
}

/** Generates a unique name for each Event: `<object>.<hex>`, where the hex is the time and a counter. */
export function createEventNames(
  first: number = randomBytes(4).readUInt32BE(),
): (object: string, now: number) => string {
  let next = first;
  return (object, now) => {
    next = (next + 1) >>> 0;
    const suffix = `.${Math.round(now).toString(16)}${next.toString(16).padStart(8, '0')}`;
    const stem = object.slice(0, longestName - suffix.length).replace(/(?<![^a-z0-9])[^a-z0-9]+$/, '');
    return `${stem}${suffix}`;
  };
}

/** RFC 3339 with microseconds, the only form that the API accepts. */
function microTime(time: number): string {
  const milliseconds = Math.floor(time);
  const rest = Math.floor((time - milliseconds) * 1_000);
  return new Date(milliseconds).toISOString().replace('Z', `${String(rest).padStart(3, '0')}Z`);
}
