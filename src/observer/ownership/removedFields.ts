import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../base/json.ts';
import { conflictingManagerOf } from '../drift/conflictingManager.ts';
import type { ApplicationOwner } from '../model/fieldManagers.ts';
import { findPaths, walk } from '../model/livePaths.ts';
import type { Drift } from '../model/projection.ts';
import type { SchemaNode } from '../model/schemaNode.ts';
import type { ApplyBodies } from '../plan/resourceApi.ts';
import { isOwnedBy, pathTextsIn } from './foreignElements.ts';

/**
 * Whether a drift comes from a partial apply of weeder itself. An update consists of several applies, and may be
 * refused after the first: what that one has set belongs to weeder's managers alone. If it were restored, each further
 * attempt would set it again.
 */
export function isPartialApply(live: JsonObject, drift: Drift, owner: ApplicationOwner): boolean {
  if (drift.is !== 'changed' && drift.is !== 'excess') return false;
  const managers = new Set([owner.own, owner.init]);
  return isOwnedBy(live, managers, drift.path) && conflictingManagerOf(live, drift, owner) === undefined;
}

/** The manifest as it was applied last, and as it is to be. */
interface Change {
  readonly from: JsonObject;
  readonly to: JsonObject;
}

/**
 * What is not observed and was taken away by somebody, by `pathText`: it stays away. Not what lies below an element
 * that is observed in part and gone as a whole: that comes back whole. With a change of the manifest, only what the
 * manifest had and says the same of as before.
 */
export function removedFieldsIn(
  live: JsonObject,
  { observed, unobserved }: ApplyBodies,
  topology: SchemaNode,
  change?: Change,
): ReadonlySet<string> {
  const abandoned = new Set<string>();
  if (unobserved === undefined) return abandoned;
  const there = pathTextsIn(live, topology);
  const desired = pathTextsIn(observed, topology);
  const isSame = change === undefined ? () => true : unchangedBy(change, topology);
  walk(unobserved, topology, (text) => {
    if (there.has(text)) return true;
    if (!desired.has(text) && isSame(text)) abandoned.add(text);
    return false;
  });
  return abandoned;
}

/** Whether the manifest had something at a path, and has the same there now. */
export function unchangedBy({ from, to }: Change, topology: SchemaNode): (text: string) => boolean {
  return (text) => {
    const [was, is] = [from, to].map((object) => findPaths(object, topology, new Set([text])).get(text));
    return was !== undefined && is !== undefined && isDeepStrictEqual(was.value, is.value);
  };
}

/** Whether something is gone of which a part is observed and another part is not. */
export function isPartlyMissing(
  live: JsonObject,
  { observed, unobserved }: ApplyBodies,
  topology: SchemaNode,
): boolean {
  if (unobserved === undefined) return false;
  const there = pathTextsIn(live, topology);
  const desired = pathTextsIn(observed, topology);
  let isHalf = false;
  walk(unobserved, topology, (text) => {
    if (there.has(text)) return true;
    if (desired.has(text)) isHalf = true;
    return false;
  });
  return isHalf;
}
