import { arrayOf, type JsonObject, objectOf, textOf } from '../../base/json.ts';
import type { LabelSelector, LabelSelectorRequirement } from './matchesSelector.ts';

const operators = ['In', 'NotIn', 'Exists', 'DoesNotExist'] as const;

/** Parses a metav1.LabelSelector of an object; invalid requirements are omitted. */
export function selectorOf(value: JsonObject): LabelSelector {
  const labels = Object.entries(objectOf(value['matchLabels']));
  return {
    matchLabels: Object.fromEntries(labels.map(([key, label]) => [key, String(label)])),
    matchExpressions: arrayOf(value['matchExpressions']).flatMap((each) => requirementOf(objectOf(each))),
  };
}

function requirementOf({ key, operator, values }: JsonObject): readonly LabelSelectorRequirement[] {
  const selectorOperator = operators.find((each) => each === operator);
  if (typeof key !== 'string' || selectorOperator === undefined) return [];
  return [{ key, operator: selectorOperator, values: arrayOf(values).flatMap((each) => textOf(each) ?? []) }];
}
