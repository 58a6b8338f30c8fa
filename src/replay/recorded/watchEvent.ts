import {
  failed,
  isObject,
  type JsonObject,
  objectOf,
  ok,
  type Result,
  textOf,
  timeOf,
} from '@weeder/kube-runtime/base';
import type { ChangeType } from '@weeder/kube-runtime/watch';
import { invalid, type JsonLine } from './jsonLines.ts';
import { isUnchangedSinceCreation, newestTime } from './newestTime.ts';

/** A watch event with the time at which it is replayed. */
export interface TimedEvent {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly type: ChangeType;
  readonly kind: 'Pod' | 'EndpointSlice';
  readonly object: JsonObject;
}

/** A file of watch events: the objects that existed when the watch began, and the changes after that. */
export interface EventFile {
  readonly listed: readonly TimedEvent[];
  readonly changes: readonly TimedEvent[];
}

/** kubectl writes the existing objects at once when a watch begins. Milliseconds. */
const listedWithin = 1000;

/** Reads the lines of one file as watch events in the order of their times. */
export function readEvents(lines: readonly JsonLine[]): Result<EventFile> {
  const events: TimedEvent[] = [];
  const isDated = lines.some(({ value }) => value['ts'] !== undefined);
  for (const line of lines) {
    if (isIgnored(line.value)) continue;
    const event = readEvent(line, events.at(-1)?.at);
    if (!event.ok) return event;
    events.push(event.value);
  }
  const firstChange = events.findIndex(({ type }) => type !== 'ADDED');
  const added = firstChange === -1 ? events : events.slice(0, firstChange);
  const isListed = isDated ? comesAtOnce(added) : wereListed(added);
  const listed = new Set(added.filter(isListed));
  return ok({ listed: [...listed], changes: events.filter((event) => !listed.has(event)) });
}

/** A bookmark has no content; an ERROR with a Status is how the API server ends a watch. */
function isIgnored({ type, object }: JsonObject): boolean {
  return type === 'BOOKMARK' || (type === 'ERROR' && objectOf(object)['kind'] === 'Status');
}

function comesAtOnce([first]: readonly TimedEvent[]): (event: TimedEvent) => boolean {
  return ({ at }) => at - (first?.at ?? at) <= listedWithin;
}

/** Without `ts`: an object whose creation time is after all earlier events was not in the list. */
function wereListed(added: readonly TimedEvent[]): (event: TimedEvent) => boolean {
  const created = new Set<TimedEvent>();
  let newest: number | undefined;
  for (const event of added) {
    const version = versionOf(event);
    if (newest !== undefined && version > newest && isUnchangedSinceCreation(event.object)) created.add(event);
    newest = Math.max(version, newest ?? version);
  }
  return (event) => !created.has(event);
}

/** Returns a number that increases with the writes of the API server; NaN if the object has none. */
export function versionOf({ object }: TimedEvent): number {
  return Number(textOf(objectOf(object['metadata'])['resourceVersion']));
}

function readEvent(line: JsonLine, previous: number | undefined): Result<TimedEvent> {
  const { type, object, ts } = line.value;
  if (!isChangeType(type) || !isObject(object)) return failed(invalid(line, whyNoEvent(line.value)));
  const { kind } = object;
  if (kind !== 'Pod' && kind !== 'EndpointSlice') {
    return failed(invalid(line, `found an event of kind ${textOf(kind) ?? '(none)'}; expected Pod or EndpointSlice`));
  }
  const written = timeOf(ts);
  if (ts !== undefined && written === undefined) {
    return failed(invalid(line, `ts is ${JSON.stringify(ts)}, which is not a time such as 2026-11-21T06:20:40.737Z`));
  }
  if (written !== undefined && previous !== undefined && written < previous) {
    const was = new Date(previous).toISOString();
    return failed(invalid(line, `the event is out of order: its ts is ${textOf(ts)}, and the one before has ${was}`));
  }
  const named = written ?? newestTime(object) ?? previous;
  if (named === undefined) return failed(invalid(line, 'the event has no ts, and its object names no time'));
  // A change that writes no time into its object did not happen before the preceding one.
  return ok({ at: Math.max(named, previous ?? named), type, kind, object });
}

function whyNoEvent({ kind, items, t }: JsonObject): string {
  if (t !== undefined) return 'found a line of a recording without the header, which is its first line';
  if (kind !== undefined || items !== undefined) {
    return `found ${textOf(kind) ?? 'a list'} in place of a watch event; kubectl get … needs --watch --output-watch-events`;
  }
  return 'found neither a line of a recording nor a watch event ({"type": …, "object": …})';
}

function isChangeType(type: unknown): type is ChangeType {
  return type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED';
}
