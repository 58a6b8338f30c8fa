/** A sorted set of names, in which many changes between two reads are cheap. */
export interface SortedNames {
  add(name: string): void;
  remove(name: string): void;
  /** Returns the names in order. The array is immutable; a changed set returns a new one. */
  all(): readonly string[];
}

/** Changes are collected, and merged by the next read. */
export function sortedNames(): SortedNames {
  let sorted: string[] = [];
  let added: string[] = [];
  let removed = new Set<string>();

  return {
    add(name) {
      if (!removed.delete(name)) added.push(name);
    },
    remove(name) {
      removed.add(name);
    },
    all() {
      if (added.length > 0 || removed.size > 0) {
        added.sort();
        const merged = [...mergedFrom(sorted, added, undefined)];
        sorted = removed.size === 0 ? merged : merged.filter((name) => !removed.has(name));
        added = [];
        removed = new Set();
      }
      return sorted;
    },
  };
}

/** Merges two sorted lists without duplicates, starting after `after`. */
export function* mergedFrom(
  left: readonly string[],
  right: readonly string[],
  after: string | undefined,
): Generator<string> {
  let i = after === undefined ? 0 : indexAfter(left, after);
  let j = after === undefined ? 0 : indexAfter(right, after);
  while (i < left.length || j < right.length) {
    const [a, b] = [left[i], right[j]];
    const name = b === undefined || (a !== undefined && a < b) ? a : b;
    if (a === name) i += 1;
    if (b === name) j += 1;
    if (name !== undefined) yield name;
  }
}

/** Returns the index of the first name after `name`. */
export function indexAfter(sorted: readonly string[], name: string): number {
  let [low, high] = [0, sorted.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((sorted[middle] ?? '') <= name) low = middle + 1;
    else high = middle;
  }
  return low;
}
