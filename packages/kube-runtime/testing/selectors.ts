import fc from 'fast-check';
import type { LabelSelector, LabelSelectorRequirement } from '../src/objects/selector.ts';

/** Random labels, and selectors of every kind, over these keys and values. */
export function selectors(keys: readonly string[], values: readonly string[]) {
  const key = fc.constantFrom(...keys);
  const value = fc.constantFrom(...values);
  const labels = fc.dictionary(key, value);
  const requirement: fc.Arbitrary<LabelSelectorRequirement> = fc.record({
    key,
    operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist'),
    values: fc.array(value, { maxLength: 4 }),
  });
  const selector: fc.Arbitrary<LabelSelector> = fc.record(
    { matchLabels: labels, matchExpressions: fc.array(requirement, { maxLength: 4 }) },
    { requiredKeys: [] },
  );
  return { labels, selector };
}
