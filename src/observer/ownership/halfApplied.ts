import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../base/json.ts';
import { rivalOf } from '../drift/rival.ts';
import { findPaths, visit } from '../model/livePaths.ts';
import type { ApplicationOwner } from '../model/managers.ts';
import type { Drift } from '../model/projection.ts';
import type { At } from '../model/structure.ts';
import type { ApplyBodies } from '../plan/resourceApi.ts';
import { isOwnedBy, texts } from './strangers.ts';

/**
 * An update is several applies, and may be refused after the first of them: what that one has brought in belongs to
 * weeder's own managers alone, and is nobody's change of what was applied before. Put back, it would come again with
 * every further try.
 */
export function isOurDoing(live: JsonObject, drift: Drift, owner: ApplicationOwner): boolean {
  if (drift.is !== 'changed' && drift.is !== 'excess') return false;
  const managers = new Set([owner.own, owner.init]);
  return isOwnedBy(live, managers, drift.path) && rivalOf(live, drift, owner) === undefined;
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
export function abandonedIn(
  live: JsonObject,
  { observed, unobserved }: ApplyBodies,
  structure: At,
  change?: Change,
): ReadonlySet<string> {
  const abandoned = new Set<string>();
  if (unobserved === undefined) return abandoned;
  const there = texts(live, structure);
  const wanted = texts(observed, structure);
  const isSame = change === undefined ? () => true : sameIn(change, structure);
  visit(unobserved, structure, (text) => {
    if (there.has(text)) return true;
    if (!wanted.has(text) && isSame(text)) abandoned.add(text);
    return false;
  });
  return abandoned;
}

/** Whether the manifest had something at a path, and has the same there now. */
export function sameIn({ from, to }: Change, structure: At): (text: string) => boolean {
  return (text) => {
    const [was, is] = [from, to].map((object) => findPaths(object, structure, new Set([text])).get(text));
    return was !== undefined && is !== undefined && isDeepStrictEqual(was.value, is.value);
  };
}

/** Whether something is gone of which a part is observed and another part is not. */
export function isHalfMissing(live: JsonObject, { observed, unobserved }: ApplyBodies, structure: At): boolean {
  if (unobserved === undefined) return false;
  const there = texts(live, structure);
  const wanted = texts(observed, structure);
  let isHalf = false;
  visit(unobserved, structure, (text) => {
    if (there.has(text)) return true;
    if (wanted.has(text)) isHalf = true;
    return false;
  });
  return isHalf;
}
