import { objectOf, textOf } from '@weeder/kube-runtime/base';
import { isAtLeast } from '@weeder/kube-runtime/objects';
import type { Input, Moment, StreamInput } from './entry.ts';

interface Known {
  readonly object: object;
  /** Since when the object has been in its current state, as far as the owner of the snapshot is concerned. */
  readonly since: Moment;
}

/** A complete list that is being read. */
interface Listing {
  readonly began: Moment;
  readonly before: Map<string, Known>;
  readonly seen: Set<string>;
}

/** The state of a stream, which a new file of a recording repeats. */
export interface StreamSnapshot {
  /** By `namespace/name`. */
  readonly objects: Map<string, Known>;
  /** The time of the last change outside a list, or of the beginning of the newest complete list. */
  updatedAt: Moment;
  listing: Listing | undefined;
  /** The end of the newest complete list; undefined if there was none. */
  end: Extract<StreamInput, { readonly in: 'end' }> | undefined;
  /** The stream was lost, and changes may have been missed since then. */
  isLost: boolean;
  /** Until the complete list, no known version says anything about later ones. */
  isRewound: boolean;
}

/** Whether an object is in the same state as before. */
export type IsSame = (before: object, now: object) => boolean;

export function newStreamSnapshot(updatedAt: Moment): StreamSnapshot {
  return { objects: new Map(), updatedAt, listing: undefined, end: undefined, isLost: false, isRewound: false };
}

export function applyToStream(stream: StreamSnapshot, line: StreamInput, at: Moment, isSame: IsSame): void {
  if (line.in === 'lost' || line.in === 'resumed') stream.isLost = line.in === 'lost';
  else if (line.in === 'rewound') stream.isRewound = true;
  else if (line.in === 'begin') stream.listing = { began: at, before: new Map(stream.objects), seen: new Set() };
  else if (line.in === 'end') endList(stream, line);
  else if ('object' in line) applyObject(stream, line.in === 'DELETED', line.object, at, isSame);
}

/** The complete list has ended: objects that it does not contain are removed. */
function endList(stream: StreamSnapshot, end: NonNullable<StreamSnapshot['end']>): void {
  const { objects, listing } = stream;
  stream.end = end;
  stream.isLost = false;
  stream.isRewound = false;
  stream.listing = undefined;
  if (listing === undefined) return;
  for (const key of [...objects.keys()]) if (!listing.seen.has(key)) objects.delete(key);
  stream.updatedAt = listing.began;
}

function applyObject(stream: StreamSnapshot, isDeleted: boolean, object: object, at: Moment, isSame: IsSame): void {
  const { objects, listing } = stream;
  const key = nameOf(object);
  const previous = objects.get(key);
  if (listing === undefined) stream.updatedAt = at;
  if (isDeleted) {
    if (previous === undefined || isOfSameUid(previous.object, object)) objects.delete(key);
    return;
  }
  listing?.seen.add(key);
  // The response to a write may precede the change in the stream.
  if (previous !== undefined && !stream.isRewound && isOlder(object, previous.object)) return;
  const whole = previous === undefined ? object : withSpecOf(previous.object, object);
  objects.set(key, {
    object: whole,
    since: previous !== undefined && isSame(previous.object, whole) ? previous.since : at,
  });
}

/** The response to a write has the new version of an object. */
export function applyWritten({ objects, listing }: StreamSnapshot, object: object): void {
  const key = nameOf(object);
  for (const versions of [objects, listing?.before]) {
    const previous = versions?.get(key);
    if (previous !== undefined && isOfSameUid(previous.object, object) && !isOlder(object, previous.object))
      versions?.set(key, { ...previous, object });
  }
}

/** Returns the object with the spec from an earlier line, if it has none itself. */
export function withSpecOf(previous: object, object: object): object {
  const hasSpec = 'spec' in object || !('spec' in previous) || !isOfSameUid(previous, object);
  return hasSpec ? object : { ...object, spec: previous.spec };
}

/**
 * Returns the lines that restore a stream, with their times. A list that is being read when the file changes stays open
 * in the new one. `isDated`: the time since when an object is known matters, otherwise the last update of its stream.
 */
export function streamLines(
  name: string,
  { objects, updatedAt, listing, end, isLost, isRewound }: StreamSnapshot,
  isDated: boolean,
): (Moment & Input)[] {
  const added = [...(listing?.before ?? objects).values()]
    .map(({ object, since }) => ({ ...(isDated ? since : updatedAt), in: 'ADDED' as const, stream: name, object }))
    .sort((a, b) => a.t - b.t);
  const [first = updatedAt, last = updatedAt] = [added[0], added.at(-1)];
  const complete = (listEnd: NonNullable<typeof end>): (Moment & Input)[] => [
    { t: first.t, wall: first.wall, in: 'begin', stream: name },
    ...added,
    { ...listEnd, t: last.t, wall: last.wall },
  ];
  return [
    // Without a complete list, only the objects in the first list so far are known.
    ...(end === undefined ? [] : complete(end)),
    ...(isRewound ? [{ ...updatedAt, in: 'rewound' as const, stream: name }] : []),
    ...(listing === undefined ? [] : listingLines(name, objects, listing)),
    ...(isLost ? [{ ...updatedAt, in: 'lost' as const, stream: name }] : []),
  ];
}

function listingLines(
  stream: string,
  objects: ReadonlyMap<string, Known>,
  { began, before, seen }: Listing,
): (Moment & Input)[] {
  const again = [...objects].flatMap(([key, { object, since }]) =>
    seen.has(key) ? [{ ...(since.t > began.t ? since : began), in: 'ADDED' as const, stream, object }] : [],
  );
  const deleted = [...before].flatMap(([key, { object }]) =>
    objects.has(key) ? [] : [{ ...began, in: 'DELETED' as const, stream, object }],
  );
  return [{ ...began, in: 'begin', stream }, ...deleted, ...again.sort((a, b) => a.t - b.t)];
}

/** `namespace/name`. */
export function nameOf(object: object): string {
  const { namespace, name } = objectOf(objectOf(object)['metadata']);
  return `${textOf(namespace) ?? ''}/${textOf(name) ?? ''}`;
}

function isOfSameUid(one: object, other: object): boolean {
  return fieldOf(one, 'uid') === fieldOf(other, 'uid');
}

/** An object with another uid is never older. */
function isOlder(object: object, previous: object): boolean {
  return (
    isOfSameUid(object, previous) &&
    !isAtLeast(fieldOf(object, 'resourceVersion'), fieldOf(previous, 'resourceVersion'))
  );
}

function fieldOf(object: object, name: 'uid' | 'resourceVersion'): string | undefined {
  return textOf(objectOf(objectOf(object)['metadata'])[name]);
}
