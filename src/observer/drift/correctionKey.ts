import type { Drift } from '../objects/projection.ts';

/** The key for a resource that is missing. */
export const missingKey = '';

/**
 * Returns the key under which corrections are counted: the path. An added element counts as its list, since the client
 * that adds it can choose another name each time.
 */
export function correctionKey({ path, type }: Pick<Drift, 'path' | 'type'>): string {
  return type === 'excess' || type === 'duplicate' ? withoutLastElement(path) : path;
}

/**
 * Removes `[name="a"]` or `[0]` at the end. A key's text may contain brackets, and the client that adds an element
 * chooses its length.
 */
function withoutLastElement(path: string): string {
  let [begin, end] = [-1, -1];
  let isInText = false;
  for (let index = 0; index < path.length; index += 1) {
    const character = path[index];
    if (isInText && character === '\\') index += 1;
    else if (character === '"' && begin > end) isInText = !isInText;
    else if (character === '[' && !isInText) begin = index;
    else if (character === ']' && !isInText) end = index;
  }
  return begin >= 0 && end === path.length - 1 ? path.slice(0, begin) : path;
}
