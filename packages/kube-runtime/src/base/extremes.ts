/**
 * The smallest and the largest of any number of values; undefined if there are none. `Math.min(...values)` passes each
 * value as an argument, and overflows the stack at about a hundred thousand.
 */

export function smallest(values: Iterable<number>): number | undefined {
  let found: number | undefined;
  for (const value of values) if (found === undefined || value < found) found = value;
  return found;
}

export function largest(values: Iterable<number>): number | undefined {
  let found: number | undefined;
  for (const value of values) if (found === undefined || value > found) found = value;
  return found;
}
