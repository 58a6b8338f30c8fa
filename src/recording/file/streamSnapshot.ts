import { objectOf, textOf } from '../../base/json.ts';
import { isAtLeast } from '../../kube/objects/resourceVersion.ts';

type ListEnd = { readonly in: 'end'; readonly stream: string; readonly resourceVersion?: string };

/** The lines that restore the objects of a stream. */
type StreamLine =
  | { readonly in: 'begin'; readonly stream: string }
  | { readonly in: 'ADDED'; readonly stream: string; readonly object: object }
  | ListEnd;

/** The state of a stream, which a new file of a recording repeats. */
export interface StreamSnapshot {
  /** By uid, or by namespace and name, as the owner of the snapshot chooses. */
  readonly objects: Map<string, object>;
  /** The keys in the complete list that is being read; undefined if there is none. */
  listing: Set<string> | undefined;
  /** The end of the newest complete list; undefined if there was none. */
  end: ListEnd | undefined;
  /** The stream was lost, and changes may have been missed since then. */
  isLost: boolean;
}

export function newStreamSnapshot(): StreamSnapshot {
  return { objects: new Map(), listing: undefined, end: undefined, isLost: false };
}

/** The complete list has ended: objects that it does not contain are removed. */
export function endList(stream: StreamSnapshot, end: ListEnd): void {
  const { objects, listing } = stream;
  for (const key of [...objects.keys()]) if (listing?.has(key) === false) objects.delete(key);
  stream.end = end;
  stream.isLost = false;
  stream.listing = undefined;
}

/**
 * Returns the lines that restore a stream. A list that is being read when the file changes stays open in the new one.
 */
export function streamLines(stream: string, { objects, listing, end }: StreamSnapshot): StreamLine[] {
  const added = (object: object) => ({ in: 'ADDED', stream, object }) as const;
  const begin = { in: 'begin', stream } as const;
  const complete = end === undefined ? [] : [begin, ...[...objects.values()].map(added), end];
  if (listing === undefined) return complete;
  const named = [...objects].flatMap(([key, object]) => (listing.has(key) ? added(object) : []));
  return [...complete, begin, ...named];
}

/** `namespace/name`. */
export function nameOf(object: object): string {
  const { namespace, name } = objectOf(objectOf(object)['metadata']);
  return `${textOf(namespace) ?? ''}/${textOf(name) ?? ''}`;
}

/** Returns true if the known version of an object is newer. */
export function isOlder(object: object, known: object | undefined): boolean {
  return known !== undefined && !isAtLeast(versionOf(object), versionOf(known));
}

function versionOf(object: object): string {
  return textOf(objectOf(objectOf(object)['metadata'])['resourceVersion']) ?? '';
}
