import { failed, ok, type Result } from '../errors.ts';
import { arrayOf, isObject, type JsonObject, objectOf, textOf, timeOf } from '../json.ts';
import type { ChangeType } from '../kube/sink.ts';
import { invalid, type JsonLine } from './jsonLines.ts';

/** A watch event with the time at which it is replayed. */
export interface TimedEvent {
  /** Epoch milliseconds. */
  readonly at: number;
  readonly type: ChangeType;
  readonly kind: 'Pod' | 'EndpointSlice';
  readonly object: JsonObject;
}

/** One file of watch events: what was there when the watch began, and what happened then. */
export interface EventFile {
  readonly listed: readonly TimedEvent[];
  readonly changes: readonly TimedEvent[];
}

/** What kubectl lists when a watch begins comes at once. Milliseconds. */
const listedWithin = 1000;

/** Reads the lines of one file as watch events in the order of their times. */
export function readEvents(lines: readonly JsonLine[]): Result<EventFile> {
  const events: TimedEvent[] = [];
  const isDated = lines.some(({ value }) => value['ts'] !== undefined);
  let isListing = true;
  let listed = 0;
  for (const line of lines) {
    if (line.value['type'] === 'BOOKMARK') continue;
    const event = readEvent(line, events.at(-1)?.at);
    if (!event.ok) return event;
    events.push(event.value);
    const { type, at } = event.value;
    isListing &&= type === 'ADDED' && (!isDated || at - (events[0]?.at ?? at) <= listedWithin);
    if (isListing) listed += 1;
  }
  return ok({ listed: events.slice(0, listed), changes: events.slice(listed) });
}

function readEvent(line: JsonLine, before: number | undefined): Result<TimedEvent> {
  const { type, object, ts } = line.value;
  if (!isChangeType(type) || !isObject(object)) {
    return failed(invalid(line, 'found neither a line of a recording nor a watch event ({"type": …, "object": …})'));
  }
  const { kind } = object;
  if (kind !== 'Pod' && kind !== 'EndpointSlice') {
    return failed(
      invalid(line, `found an event of kind ${textOf(kind) ?? '(none)'}; wanted are Pod and EndpointSlice`),
    );
  }
  const written = timeOf(ts);
  if (ts !== undefined && written === undefined) {
    return failed(invalid(line, `ts is ${JSON.stringify(ts)}, which is not a time such as 2026-11-21T06:20:40.737Z`));
  }
  if (written !== undefined && before !== undefined && written < before) {
    const was = new Date(before).toISOString();
    return failed(invalid(line, `the event is out of order: its ts is ${textOf(ts)}, and the one before has ${was}`));
  }
  const named = written ?? newestTime(object) ?? before;
  if (named === undefined) return failed(invalid(line, 'the event has no ts, and its object names no time'));
  // A change that writes no time into its object did not happen before the one that came before it.
  return ok({ at: Math.max(named, before ?? named), type, kind, object });
}

function isChangeType(type: unknown): type is ChangeType {
  return type === 'ADDED' || type === 'MODIFIED' || type === 'DELETED';
}

const triggerTime = 'endpoints.kubernetes.io/last-change-trigger-time';

/** The newest of the times that the API and the kubelet write into an object; epoch milliseconds. */
export function newestTime({ metadata, status }: JsonObject): number | undefined {
  const meta = objectOf(metadata);
  const podStatus = objectOf(status);
  const containers = ['initContainerStatuses', 'containerStatuses'].flatMap((key) => arrayOf(podStatus[key]));
  const states = containers.flatMap((each) => [objectOf(each)['state'], objectOf(each)['lastState']]);
  const named = [
    meta['creationTimestamp'],
    objectOf(meta['annotations'])[triggerTime],
    ...arrayOf(meta['managedFields']).map((field) => objectOf(field)['time']),
    ...arrayOf(podStatus['conditions']).map((condition) => objectOf(condition)['lastTransitionTime']),
    ...states.flatMap((state) => Object.values(objectOf(state)).flatMap(timesOfState)),
  ];
  const times = named.flatMap((time) => timeOf(time) ?? []);
  return times.length === 0 ? undefined : Math.max(...times);
}

function timesOfState(state: unknown): unknown[] {
  const { startedAt, finishedAt } = objectOf(state);
  return [startedAt, finishedAt];
}
