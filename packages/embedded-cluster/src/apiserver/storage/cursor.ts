import type { KubeObject } from '../meta/objects.ts';
import type { Resource } from '../registry/resource.ts';
import type { Selection } from '../selectors/selection.ts';
import type { Change, ChangeType } from './history.ts';
import type { Storage } from './storage.ts';

/** One event of a watch. */
export interface WatchItem {
  readonly type: ChangeType;
  readonly object: KubeObject;
  /** The history's entry, which keeps the JSON; undefined where the object had to be made for this watch. */
  readonly change: Change | undefined;
}

/** A place in what happens to a selection. Holds no events: a slow reader costs nothing but a number. */
export interface Cursor {
  /**
   * The next event; `initialEnd`, once: all that was there at the start has been read; `waiting`: there is none yet,
   * and `onNews` will be called; `expired`: it has been forgotten.
   */
  next(): WatchItem | 'initialEnd' | 'waiting' | 'expired';
  /** How far it has been read. */
  readonly version: number;
  close(): void;
}

/**
 * Where a watch begins: with all that is there now, or with what came after a version. Undefined when the history does
 * not reach back to that version.
 */
export function openCursor(
  storage: Storage,
  resource: Resource,
  selection: Selection,
  from: number | 'now',
  onNews: () => void,
): Cursor | undefined {
  const collection = storage.collectionOf(resource);
  const past = collection.history;
  const started = from === 'now' ? past.next : past.indexAfter(from);
  if (started === undefined) return undefined;
  const initial =
    from === 'now' ? [...collection.scan({ namespace: selection.namespace })].filter(selection.matches) : [];
  let shown = 0;
  let index = started;
  let isWaiting = false;
  let version = from === 'now' ? storage.version : from;

  const unsubscribe = past.subscribe(selection.namespace, (latest) => {
    if (!isWaiting) return;
    isWaiting = false;
    // Nothing before it concerned this watch, or it would have been woken.
    index = latest;
    onNews();
  });

  function nextChange(): WatchItem | 'waiting' | 'expired' {
    if (index < past.first) return 'expired';
    while (index < past.next) {
      const change = past.at(index);
      index += 1;
      // A watch may begin at a version that is still to come.
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
      const object = initial[shown];
      if (from !== 'now' || shown > initial.length) return nextChange();
      shown += 1;
      return object === undefined ? 'initialEnd' : { type: 'ADDED', object, change: undefined };
    },
    get version() {
      return isWaiting ? Math.max(version, storage.version) : version;
    },
    close: unsubscribe,
  };
}

/** What a change looks like through a selection: objects come into it and leave it. Undefined: it is not seen. */
function itemOf(change: Change, { namespace, matches }: Selection): WatchItem | undefined {
  const { type, object, previous } = change;
  if (namespace !== undefined && object.metadata.namespace !== namespace) return undefined;
  const was = previous !== undefined && matches(previous);
  const is = type !== 'DELETED' && matches(object);
  if (is) return { type: was ? 'MODIFIED' : 'ADDED', object, change };
  if (!was) return undefined;
  if (type === 'DELETED') return { type, object, change };
  // It left: what is shown is how it was when it still belonged, at the version at which it left.
  const { resourceVersion } = object.metadata;
  const last = { ...previous, metadata: { ...previous.metadata, resourceVersion } };
  return { type: 'DELETED', object: last, change: undefined };
}
