import { objectOf, textOf } from '../../base/json.ts';
import { crashLooping, isSameStay } from '../../weeder/pods/crashLooping.ts';
import { isSliceStream, type Moment, type WeederInput, type WeederOutput, windowKey } from './weederLines.ts';

/**
 * The state at the beginning of a new file, which is replayed without the files before it: the objects of the streams
 * and the open windows.
 */
interface WeederSnapshot {
  apply(entry: WeederInput | WeederOutput, at: Moment): void;
  /** Drops the state of a stream that was closed. */
  forgetStream(stream: string): void;
  /**
   * The first lines of a new file, in the order of their times, because decisions also depend on how long an object has
   * been known and when a stream was last updated.
   */
  lines(now: Moment): readonly (Moment & WeederInput)[];
  /** A response is pending that determines whether a window opens: a new file would lack its request. */
  readonly isAwaitingResponse: boolean;
}

interface Known {
  readonly object: object;
  /** For a pod: since when it has been in its current stay in back-off. */
  readonly since: Moment;
}

interface StreamState {
  readonly objects: Map<string, Known>;
  /** The time of the last change outside a list, or of the beginning of the newest complete list. */
  updatedAt: Moment;
  listing: Listing | undefined;
  /** The resourceVersion of the newest complete list; undefined if there was none. */
  list: { readonly resourceVersion?: string } | undefined;
}

/** A complete list that is being read. */
interface Listing {
  readonly began: Moment;
  readonly before: ReadonlyMap<string, Known>;
  readonly seen: Set<string>;
}

export function createWeederSnapshot(): WeederSnapshot {
  const streams = new Map<string, StreamState>();
  const windows = new Set<string>();
  let isRunning = false;
  let pendingRequests = 0;

  function streamOf(name: string, at: Moment): StreamState {
    const stream = streams.get(name) ?? { objects: new Map(), updatedAt: at, listing: undefined, list: undefined };
    streams.set(name, stream);
    return stream;
  }

  /** A new weeder does not have the state of the previous one. */
  function forgetAll(): void {
    streams.clear();
    windows.clear();
    isRunning = false;
    pendingRequests = 0;
  }

  function applyInput(entry: WeederInput, at: Moment): void {
    if (entry.in === 'start' || entry.in === 'stop') isRunning = entry.in === 'start';
    if (entry.in === 'created') forgetAll();
    if (entry.in === 'readySince') pendingRequests = Math.max(0, pendingRequests - 1);
    if (!('stream' in entry)) return;
    const stream = streamOf(entry.stream, at);
    if (entry.in === 'begin') stream.listing = { began: at, before: new Map(stream.objects), seen: new Set() };
    else if (entry.in === 'end') applyList(stream, entry.resourceVersion);
    else if ('object' in entry) applyObject(stream, entry.in === 'DELETED', entry.object, at);
  }

  return {
    apply(entry, at) {
      if ('in' in entry) applyInput(entry, at);
      else if (entry.out === 'readySince.requested') pendingRequests += 1;
      else if (entry.out === 'window.opened') windows.add(windowKey(entry.about, entry.window));
      else if (entry.out === 'window.closed') windows.delete(windowKey(entry.about, entry.window));
    },
    forgetStream: (stream) => void streams.delete(stream),
    lines: (now) => [
      ...[...streams].flatMap(([name, stream]) => linesOfStream(name, stream)).sort((a, b) => a.t - b.t),
      { ...now, in: 'snapshotEnd', isRunning, windows: [...windows] },
    ],
    get isAwaitingResponse() {
      return pendingRequests > 0;
    },
  };
}

/**
 * Returns the lines that restore a stream. A list that is being read when the file changes stays open in the new one.
 */
function linesOfStream(stream: string, { objects, updatedAt, listing, list }: StreamState): (Moment & WeederInput)[] {
  const before = [...(listing?.before ?? objects).values()];
  // For a pod the time since when it is known matters, for a slice the last update of its stream.
  const added = before
    .map(({ object, since }) => ({
      ...(isSliceStream(stream) ? updatedAt : since),
      in: 'ADDED' as const,
      stream,
      object,
    }))
    .sort((a, b) => a.t - b.t);
  const { t, wall } = added[0] ?? updatedAt;
  const { t: endT, wall: endWall } = added.at(-1) ?? updatedAt;
  const complete = [
    { t, wall, in: 'begin' as const, stream },
    ...added,
    { t: endT, wall: endWall, in: 'end' as const, stream, ...list },
  ];
  // Without a complete list, only the objects in the first list so far are known.
  const known = list === undefined ? [] : complete;
  return listing === undefined ? known : [...known, ...linesOfListing(stream, objects, listing)];
}

function linesOfListing(
  stream: string,
  objects: ReadonlyMap<string, Known>,
  { began, before, seen: named }: Listing,
): (Moment & WeederInput)[] {
  const again = [...objects].flatMap(([key, { object, since }]) =>
    named.has(key) ? [{ ...(since.t > began.t ? since : began), in: 'ADDED' as const, stream, object }] : [],
  );
  const deleted = [...before].flatMap(([key, { object }]) =>
    objects.has(key) ? [] : [{ ...began, in: 'DELETED' as const, stream, object }],
  );
  return [{ ...began, in: 'begin', stream }, ...deleted, ...again.sort((a, b) => a.t - b.t)];
}

function applyObject(stream: StreamState, isDeleted: boolean, object: object, at: Moment): void {
  const { objects, listing } = stream;
  const key = keyOf(object);
  const known = objects.get(key);
  if (listing === undefined) stream.updatedAt = at;
  if (isDeleted) objects.delete(key);
  else objects.set(key, { object, since: known !== undefined && isSame(known.object, object) ? known.since : at });
  if (!isDeleted) listing?.seen.add(key);
}

function isSame(before: object, now: object): boolean {
  const [was, is] = [crashLooping(before), crashLooping(now)];
  return was !== undefined && is !== undefined && isSameStay(was, is);
}

function applyList(stream: StreamState, resourceVersion?: string): void {
  stream.list = resourceVersion === undefined ? {} : { resourceVersion };
  const { objects, listing } = stream;
  if (listing === undefined) return;
  for (const key of [...objects.keys()]) if (!listing.seen.has(key)) objects.delete(key);
  stream.updatedAt = listing.began;
  stream.listing = undefined;
}

function keyOf(object: object): string {
  const { uid, namespace, name } = objectOf(objectOf(object)['metadata']);
  return textOf(uid) ?? `${textOf(namespace) ?? ''}/${textOf(name) ?? ''}`;
}
