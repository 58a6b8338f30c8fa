import type { KubeObject } from '../meta/objects.ts';
import type { Resource } from '../registry/resource.ts';
import type { Selection } from '../selectors/selection.ts';
import type { Change, ChangeType } from './history.ts';
import type { Storage } from './storage.ts';

/** An event of a watch. */
export interface WatchItem {
  readonly type: ChangeType;
  readonly object: KubeObject;
  /** The entry of the history, which caches the JSON; undefined if the object was created for this watch. */
  readonly change: Change | undefined;
}

/** The position of a watch in the history. It buffers no events, so that a slow reader needs no memory. */
export interface Cursor {
  /**
   * Returns the next event; `initialEnd`, once, after the initial events; `waiting` if there is none yet, so that
   * `onChange` will be called; or `expired` if the history no longer covers the position.
   */
  next(): WatchItem | 'initialEnd' | 'waiting' | 'expired';
  /** The version of the last event. */
  readonly version: number;
  close(): void;
}

/**
 * Opens a watch: from the current state, or after a version. Undefined if the history does not reach back to that
 * version.
 */
export function openCursor(
  storage: Storage,
  resource: Resource,
  selection: Selection,
  from: number | 'now',
  onChange: () => void,
): Cursor | undefined {
  const collection = storage.collectionOf(resource);
  const past = collection.history;
  const started = from === 'now' ? past.next : past.indexAfter(from);
  if (started === undefined) return undefined;
  const initial =
    from === 'now' ? [...collection.scan({ namespace: selection.namespace })].filter(selection.matches) : [];
  let sent = 0;
  let index = started;
  let isWaiting = false;
  let version = from === 'now' ? storage.version : from;

  const unsubscribe = past.subscribe(selection.namespace, (latest) => {
    if (!isWaiting) return;
    isWaiting = false;
    // The changes before it are in other namespaces.
    index = latest;
    onChange();
  });

  function nextChange(): WatchItem | 'waiting' | 'expired' {
    if (index < past.first) return 'expired';
    while (index < past.next) {
      const change = past.at(index);
      index += 1;
      // A watch may begin at a future version.
      if (change === undefined || change.version <= version) continue;
      version = change.version;
      const item = itemOf(change, selection);
      if (item !== undefined) return item;
    }
    isWaiting = true;
    return 'waiting';
  }

  return {
    next() {
      const object = initial[sent];
      if (from !== 'now' || sent > initial.length) return nextChange();
      sent += 1;
      return object === undefined ? 'initialEnd' : { type: 'ADDED', object, change: undefined };
    },
    get version() {
      return isWaiting ? Math.max(version, storage.version) : version;
    },
    close: unsubscribe,
  };
}

/**
 * Converts a change to an event of a watch with selectors; undefined if the object was not selected before and is not
 * selected now.
 */
function itemOf(change: Change, { namespace, matches }: Selection): WatchItem | undefined {
  const { type, object, previous } = change;
  if (namespace !== undefined && object.metadata.namespace !== namespace) return undefined;
  const was = previous !== undefined && matches(previous);
  const is = type !== 'DELETED' && matches(object);
  if (is) return { type: was ? 'MODIFIED' : 'ADDED', object, change };
  if (!was) return undefined;
  if (type === 'DELETED') return { type, object, change };
  // The object is no longer selected: the event has its last selected state with the version of this change.
  const { resourceVersion } = object.metadata;
  const last = { ...previous, metadata: { ...previous.metadata, resourceVersion } };
  return { type: 'DELETED', object: last, change: undefined };
}
