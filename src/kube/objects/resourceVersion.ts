const decimal = /^[0-9]+$/;

/**
 * Whether what has version `one` was written no earlier than what has version `other`. Kubernetes orders them as
 * numbers; of what is no number it says nothing, and then the answer is yes: whoever asks would wait for ever.
 */
export function isAtLeast(one: string | undefined, other: string | undefined): boolean {
  if (one === undefined || other === undefined || !decimal.test(one) || !decimal.test(other)) return true;
  return BigInt(one) >= BigInt(other);
}
