import { arrayOf, isObject, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { ownsAt } from '../drift/fieldsV1.ts';
import { walk } from '../objects/livePaths.ts';
import { type Path, pathText, sharedLists } from '../objects/path.ts';
import type { SchemaNode } from '../objects/schemaNode.ts';
import type { ApplyBodies } from '../plan/resourceApi.ts';

/** A live element of a merged list that is not in the applied body. */
interface ForeignElement {
  readonly path: Path;
  /** `pathText` of the list. */
  readonly list: string;
}

/**
 * Returns the elements of merged lists that `live` has and `body` does not, for lists in `body`. Server-side apply
 * leaves them because the manager does not own them. Lists that belong to all controllers are left out.
 */
export function foreignElementsIn(live: JsonObject, body: JsonObject, topology: SchemaNode): readonly ForeignElement[] {
  const applied = pathTextsIn(body, topology);
  const foreign: ForeignElement[] = [];
  walk(live, topology, (text, path) => {
    if (applied.has(text)) return true;
    const last = path.at(-1);
    const list = pathText(path.slice(0, -1));
    const isElement = last !== undefined && !('field' in last);
    if (isElement && applied.has(list) && !sharedLists.has(list)) foreign.push({ path, list });
    return false;
  });
  return foreign;
}

/** Returns the lists in which `live` lacks an element of `body`. */
export function listsWithGaps(live: JsonObject, body: JsonObject, topology: SchemaNode): ReadonlySet<string> {
  const there = pathTextsIn(live, topology);
  const lists = new Set<string>();
  walk(body, topology, (text, path) => {
    if (there.has(text)) return true;
    const last = path.at(-1);
    if (last !== undefined && !('field' in last)) lists.add(pathText(path.slice(0, -1)));
    return false;
  });
  return lists;
}

/**
 * Returns the elements that have replaced observed ones: the manifest does not have them, and their list lacks an
 * observed element.
 */
export function replacementsIn(
  live: JsonObject,
  { observed, whole }: ApplyBodies,
  topology: SchemaNode,
): readonly Path[] {
  const gaps = listsWithGaps(live, observed, topology);
  const foreign = gaps.size === 0 ? [] : foreignElementsIn(live, whole, topology);
  return foreign.filter(({ list }) => gaps.has(list)).map(({ path }) => path);
}

/** Returns true if one of these managers owns a field there. */
export function isOwnedBy(live: JsonObject, managers: ReadonlySet<string>, path: string): boolean {
  return arrayOf(objectOf(live['metadata'])['managedFields'])
    .map(objectOf)
    .some(
      ({ manager, fieldsV1 }) =>
        typeof manager === 'string' && managers.has(manager) && isObject(fieldsV1) && ownsAt(fieldsV1, path),
    );
}

/** Returns the `pathText` of every value that can have a manager of its own. */
export function pathTextsIn(object: JsonObject, topology: SchemaNode): ReadonlySet<string> {
  const managed = new Set<string>();
  walk(object, topology, (text) => {
    managed.add(text);
    return true;
  });
  return managed;
}
