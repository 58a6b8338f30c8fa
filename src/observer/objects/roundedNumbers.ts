import { ExactInteger, isObject } from '@weeder/kube-runtime/base';
import type { Path } from '../../base/fieldError.ts';

const [least, greatest] = [-(2n ** 63n), 2n ** 63n - 1n];
/** From this value on JSON uses an exponent, so the number is not read as an exact integer. */
const withExponent = 1e21;

/**
 * Returns the paths of integers of more than 64 bits, which the API server converts to floating-point numbers. The
 * stored value is rounded and no longer shows what was written.
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
