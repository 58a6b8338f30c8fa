import { arrayOf, isObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import { type LabelSelector, type LabelSelectorRequirement, labelKey, labelValue } from '@weeder/kube-runtime/objects';

/**
 * Reads a metav1.LabelSelector as the API serves it; returns undefined if it is invalid or uses an unknown operator. Of
 * a kind that a CRD defines, the API server accepts any texts.
 */
export function readLabelSelector(value: unknown): LabelSelector | undefined {
  if (!isObject(value)) return undefined;
  const requirements = arrayOf(value['matchExpressions']).map(readRequirement);
  const matchExpressions = requirements.filter((each) => each !== undefined);
  const matchLabels = readTexts(value['matchLabels']);
  const areValid = Object.entries(matchLabels).every(([key, text]) => isKey(key) && isValue(text));
  return areValid && matchExpressions.length === requirements.length ? { matchLabels, matchExpressions } : undefined;
}

/** Reads labels or annotations; values that are not strings are left out. */
export function readTexts(value: unknown): Readonly<Record<string, string>> {
  const entries = Object.entries(objectOf(value));
  return Object.fromEntries(entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'));
}

function readRequirement(value: unknown): LabelSelectorRequirement | undefined {
  const { key: givenKey, operator, values } = objectOf(value);
  const key = textOf(givenKey);
  const texts = arrayOf(values).filter((each) => typeof each === 'string');
  if (key === undefined || !isKey(key) || !texts.every(isValue)) return undefined;
  switch (operator) {
    case 'Exists':
    case 'DoesNotExist':
      return { key, operator };
    case 'In':
    case 'NotIn':
      return { key, operator, values: texts };
    default:
      return undefined;
  }
}

function isKey(text: string): boolean {
  return labelKey.pattern.test(text);
}

function isValue(text: string): boolean {
  return labelValue.pattern.test(text);
}
