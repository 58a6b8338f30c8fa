/** The word that was probably meant: the nearest of `allowed` by edit distance; undefined if none is near. */
export function nearest(written: string, allowed: readonly string[]): string | undefined {
  if (written.length > 64) return undefined;
  let best: { readonly word: string; readonly distance: number } | undefined;
  for (const word of allowed) {
    const distance = editDistance(written.toLowerCase(), word.toLowerCase());
    if (distance <= Math.ceil(Math.min(written.length, word.length) / 4) && distance < (best?.distance ?? Infinity)) {
      best = { word, distance };
    }
  }
  return best?.word;
}

/**
 * How many letters must be added, removed, replaced or swapped with their neighbour to turn one word into the other.
 */
function editDistance(from: string, to: string): number {
  let beforePrevious: readonly number[] = [];
  let previous: readonly number[] = Array.from({ length: to.length + 1 }, (_, column) => column);
  for (let row = 1; row <= from.length; row++) {
    const current = [row];
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1];
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1];
      current[column] = Math.min(
        at(previous, column) + 1,
        at(current, column - 1) + 1,
        at(previous, column - 1) + (same ? 0 : 1),
        swapped ? at(beforePrevious, column - 2) + 1 : Infinity,
      );
    }
    beforePrevious = previous;
    previous = current;
  }
  return at(previous, to.length);
}

function at(row: readonly number[], column: number): number {
  return row[column] ?? Infinity;
}
