/** No version is older: stands for one that says nothing any more. */
export const oldestVersion = '0';

const decimal = /^[0-9]+$/;

/**
 * Whether version `one` was written no earlier than version `other`. Kubernetes orders resourceVersions as numbers. For
 * a version that is not a number the order is undefined, and the result is true, because a caller would otherwise wait
 * forever.
 */
export function isAtLeast(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined || !decimal.test(one) || !decimal.test(other)) return true;
  return BigInt(one) >= BigInt(other);
}
