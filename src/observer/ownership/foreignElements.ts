import { arrayOf, isObject, type JsonObject, objectOf } from '../../base/json.ts';
import { ownsAt } from '../drift/fieldsV1.ts';
import { walk } from '../model/livePaths.ts';
import { type Path, pathText, sharedLists } from '../model/path.ts';
import type { SchemaNode } from '../model/schemaNode.ts';
import type { ApplyBodies } from '../plan/resourceApi.ts';

/** An element of a merged list that is live and not in what is applied. */
interface ForeignElement {
  readonly path: Path;
  /** `pathText` of the list. */
  readonly list: string;
}

/**
 * Elements of merged lists that `live` has and `body` does not, of lists that `body` has: what server-side apply leaves
 * there, because nobody who applies owns them. Not of lists that belong to all controllers.
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

/** Lists of which `live` lacks an element that `body` has. */
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
 * Elements that have replaced observed ones: elements that the manifest does not have, in a list that lacks an observed
 * one.
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

/** Whether one of these managers owns something there. */
export function isOwnedBy(live: JsonObject, managers: ReadonlySet<string>, path: string): boolean {
  return arrayOf(objectOf(live['metadata'])['managedFields'])
    .map(objectOf)
    .some(
      ({ manager, fieldsV1 }) =>
        typeof manager === 'string' && managers.has(manager) && isObject(fieldsV1) && ownsAt(fieldsV1, path),
    );
}

/** `pathText` of everything in an object that can belong to a manager of its own. */
export function pathTextsIn(object: JsonObject, topology: SchemaNode): ReadonlySet<string> {
  const all = new Set<string>();
  walk(object, topology, (text) => {
    all.add(text);
    return true;
  });
  return all;
}
