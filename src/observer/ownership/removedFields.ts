import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject } from '@weeder/kube-runtime/base';
import { conflictingManagerOf } from '../drift/conflictingManager.ts';
import type { ApplicationOwner } from '../objects/fieldManagers.ts';
import { findPaths, walk } from '../objects/livePaths.ts';
import type { Path } from '../objects/path.ts';
import type { Drift } from '../objects/projection.ts';
import type { SchemaNode } from '../objects/schemaNode.ts';
import type { ApplyBodies } from '../plan/resourceApi.ts';
import { isOwnedBy, pathTextsIn } from './foreignElements.ts';

/**
 * Returns true if a drift comes from a partial apply of weeder itself. An update consists of several applies and may be
 * refused after the first, whose fields then belong only to weeder's managers. If they were restored, each further
 * attempt would set them again.
 */
export function isPartialApply(live: JsonObject, drift: Drift, owner: ApplicationOwner): boolean {
  if (drift.type !== 'changed' && drift.type !== 'excess') return false;
  const managers = new Set([owner.own, owner.init]);
  return isOwnedBy(live, managers, drift.path) && conflictingManagerOf(live, drift, owner) === undefined;
}

/** The manifest that was applied last, and the one to apply. */
interface Change {
  readonly from: JsonObject;
  readonly to: JsonObject;
}

/**
 * Returns the unobserved fields that another client has removed, by `pathText`: they are not applied again. This
 * excludes fields of a missing element or list of which a part is observed, because it is restored as a whole. If the
 * manifest has changed, it includes only fields that have the same value in both versions.
 */
export function removedFieldsIn(
  live: JsonObject,
  { observed, unobserved }: ApplyBodies,
  topology: SchemaNode,
  change?: Change,
): ReadonlySet<string> {
  const removed = new Set<string>();
  if (unobserved === undefined) return removed;
  const there = pathTextsIn(live, topology);
  const desired = pathTextsIn(observed, topology);
  const isSame = change === undefined ? () => true : unchangedBy(change, topology);
  walk(unobserved, topology, (text, path, value) => {
    if (there.has(text)) return true;
    if (desired.has(text)) return isMap(path, value);
    if (isSame(text)) removed.add(text);
    return false;
  });
  return removed;
}

/** Returns true for a path at which both versions of the manifest have the same value. */
export function unchangedBy({ from, to }: Change, topology: SchemaNode): (text: string) => boolean {
  return (text) => {
    const [was, is] = [from, to].map((object) => findPaths(object, topology, new Set([text])).get(text));
    return was !== undefined && is !== undefined && isDeepStrictEqual(was.value, is.value);
  };
}

/** What is missing of which one part is observed and another part is not: an element or list rather than a map. */
export function partlyMissing(
  live: JsonObject,
  { observed, unobserved }: ApplyBodies,
  topology: SchemaNode,
): 'nothing' | 'map' | 'element' {
  let missing: ReturnType<typeof partlyMissing> = 'nothing';
  if (unobserved === undefined) return missing;
  const there = pathTextsIn(live, topology);
  const desired = pathTextsIn(observed, topology);
  walk(unobserved, topology, (text, path, value) => {
    if (there.has(text)) return true;
    if (!desired.has(text)) return false;
    missing = isMap(path, value) && missing !== 'element' ? 'map' : 'element';
    return missing === 'map';
  });
  return missing;
}

/** Not an element of a list, which needs its other fields. */
function isMap(path: Path, value: unknown): boolean {
  const last = path.at(-1);
  return isObject(value) && last !== undefined && 'field' in last;
}
