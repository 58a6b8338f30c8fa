import { arrayOf, isObject, objectOf, textOf } from '../../base/json.ts';
import type { LabelSelector, LabelSelectorRequirement } from '../../kube/objects/selector.ts';

/** A metav1.LabelSelector as the API serves it; undefined where it is none, or says something that nobody knows. */
export function readLabelSelector(value: unknown): LabelSelector | undefined {
  if (!isObject(value)) return undefined;
  const requirements = arrayOf(value['matchExpressions']).map(readRequirement);
  const matchExpressions = requirements.filter((each) => each !== undefined);
  if (matchExpressions.length < requirements.length) return undefined;
  return { matchLabels: readTexts(value['matchLabels']), matchExpressions };
}

/** Labels or annotations: what is no text is left out. */
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
