import { ExactInteger } from '../../base/exactInteger.ts';
import type { Path } from '../../base/fieldError.ts';
import { isObject } from '../../base/json.ts';

const [least, greatest] = [-(2n ** 63n), 2n ** 63n - 1n];
/** From here on JSON has an exponent, and nobody takes the number for an integer of which each digit counts. */
const withExponent = 1e21;

/**
 * Where there are integers that the API server does not keep: of more than 64 bits it makes floating-point numbers. What
 * it has stored is rounded already, and says no more what was written.
 */
export function roundedIn(value: unknown): readonly Path[] {
  if (isRounded(value)) return [[]];
  const inner: readonly (readonly [string | number, unknown])[] = Array.isArray(value)
    ? [...value.entries()]
    : isObject(value)
      ? Object.entries(value)
      : [];
  return inner.flatMap(([step, below]) => roundedIn(below).map((path) => [step, ...path]));
}

function isRounded(value: unknown): boolean {
  if (value instanceof ExactInteger) {
    const exact = BigInt(value.digits);
    return exact < least || exact > greatest;
  }
  if (typeof value !== 'number' || !Number.isInteger(value) || Math.abs(value) >= withExponent) return false;
  return BigInt(value) < least || BigInt(value) > greatest;
}
