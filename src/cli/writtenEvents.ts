import {
  arrayOf,
  type JsonObject,
  numberOf,
  objectOf,
  ok,
  type Result,
  textOf,
  timeOf,
} from '@weeder/kube-runtime/base';
import { eventsPath } from '@weeder/kube-runtime/events';
import type { ListReader } from '../base/listReader.ts';
import type { WrittenEvent } from '../weeder/report/podReport.ts';

/** A Kubernetes Event of weeder, as it is read. */
export interface ReadEvent extends WrittenEvent {
  /** The whole object. */
  readonly object: JsonObject;
  readonly type: string;
  readonly about: { readonly kind: string; readonly namespace: string; readonly name: string };
  /** How often it has occurred. */
  readonly count: number;
}

/** The reporting controller of every Event of weeder; `kubectl events` shows it as the source. */
const reportingController = 'weeder.dev/weeder';

/** Selects the Events of weeder, where the API server can. */
export const ofWeeder = `reportingController=${reportingController}`;

/** Undefined: it is not one of weeder. `at` is the time of its last occurrence. */
export function readEvent(event: unknown): ReadEvent | undefined {
  const object = objectOf(event);
  const { regarding, series, eventTime, metadata } = object;
  const at = timeOf(objectOf(series)['lastObservedTime']) ?? timeOf(eventTime);
  if (object['reportingController'] !== reportingController || at === undefined) return undefined;
  const { kind, namespace, name, uid } = objectOf(regarding);
  return {
    object,
    at,
    uid: textOf(uid) ?? '',
    type: textOf(object['type']) ?? '',
    reason: textOf(object['reason']) ?? '',
    note: textOf(object['note']) ?? '',
    about: {
      kind: textOf(kind) ?? '',
      namespace: textOf(namespace) ?? textOf(objectOf(metadata)['namespace']) ?? '',
      name: textOf(name) ?? '',
    },
    count: numberOf(objectOf(series)['count']) ?? 1,
  };
}

/** The Events of weeder in a list, oldest first. */
function readEventList(list: JsonObject | undefined): readonly ReadEvent[] {
  return arrayOf(list?.['items'])
    .flatMap((event) => readEvent(event) ?? [])
    .sort((a, b) => a.at - b.at);
}

/** Reads the Events of weeder about one object, oldest first. */
export async function readEventsAbout(
  reader: ListReader,
  { kind, namespace, name }: ReadEvent['about'],
): Promise<Result<readonly ReadEvent[]>> {
  const query = { fieldSelector: `regarding.kind=${kind},regarding.name=${name}`, limit: 500 };
  const list = await reader.readOne(eventsPath(namespace), `events in ${namespace}`, query);
  return list.ok ? ok(readEventList(list.value)) : list;
}
