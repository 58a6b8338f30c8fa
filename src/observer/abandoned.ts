import type { JsonObject } from '../json.ts';
import type { ApplyBodies } from './applyBodies.ts';
import { visit } from './livePaths.ts';
import { texts } from './strangers.ts';
import type { At } from './structure/structure.ts';

/**
 * What is not observed and was taken away by somebody, by `pathText`: it stays away (A2). Not what lies below an element
 * that is observed in part and gone as a whole: that comes back whole. `before`: only what was applied before.
 */
export function abandonedIn(
  live: JsonObject,
  { observed, unobserved }: ApplyBodies,
  structure: At,
  before?: JsonObject,
): ReadonlySet<string> {
  const abandoned = new Set<string>();
  if (unobserved === undefined) return abandoned;
  const there = texts(live, structure);
  const wanted = texts(observed, structure);
  const known = before === undefined ? undefined : texts(before, structure);
  visit(unobserved, structure, (text) => {
    if (there.has(text)) return true;
    if (!wanted.has(text) && known?.has(text) !== false) abandoned.add(text);
    return false;
  });
  return abandoned;
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
