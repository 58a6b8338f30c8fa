/**
 * The smallest and the largest of any number of values; undefined if there are none. `Math.min(...values)` passes each
 * value as an argument, and overflows the stack at about a hundred thousand.
 */

export function smallest(values: Iterable<number>): number | undefined {
  let minimum: number | undefined;
  for (const value of values) if (minimum === undefined || value < minimum) minimum = value;
  return minimum;
}

export function largest(values: Iterable<number>): number | undefined {
  let maximum: number | undefined;
  for (const value of values) if (maximum === undefined || value > maximum) maximum = value;
  return maximum;
}
