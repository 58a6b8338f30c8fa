import { arrayOf, isObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import type { LabelSelector, LabelSelectorRequirement } from '@weeder/kube-runtime/objects';

/**
 * Reads a metav1.LabelSelector as the API serves it; returns undefined if it is invalid or uses an unknown operator.
 */
export function readLabelSelector(value: unknown): LabelSelector | undefined {
  if (!isObject(value)) return undefined;
  const requirements = arrayOf(value['matchExpressions']).map(readRequirement);
  const matchExpressions = requirements.filter((each) => each !== undefined);
  if (matchExpressions.length < requirements.length) return undefined;
  return { matchLabels: readTexts(value['matchLabels']), matchExpressions };
}

/** Reads labels or annotations; values that are not strings are left out. */
export function readTexts(value: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(objectOf(value));
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

function readRequirement(value: unknown): LabelSelectorRequirement | undefined {
  const { key: givenKey, operator, values } = objectOf(value);
  const key = textOf(givenKey);
  if (key === undefined) return undefined;
  switch (operator) {
    case 'Exists':
    case 'DoesNotExist':
      return { key, operator };
    case 'In':
    case 'NotIn':
      return { key, operator, values: arrayOf(values).filter((each) => typeof each === 'string') };
    default:
      return undefined;
  }
}
