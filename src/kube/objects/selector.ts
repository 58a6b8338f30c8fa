/** One condition on a label, as in metav1.LabelSelectorRequirement. */
export interface LabelSelectorRequirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  /** For In and NotIn only. */
  readonly values?: readonly string[];
}

/** Which objects are meant, by their labels: all the conditions hold, as in metav1.LabelSelector. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}

/**
 * The selector as the API takes it in `labelSelector=`, sorted and without repetitions, so that selectors that say the
 * same in another order give the same text. An empty selector gives the empty text: everything.
 */
export function selectorToString(selector: LabelSelector): string {
  const conditions = new Set<string>();
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) conditions.add(`${key}=${value}`);
  for (const requirement of selector.matchExpressions ?? []) {
    for (const condition of conditionsOf(requirement)) conditions.add(condition);
  }
  return [...conditions].sort().join(',');
}

/** Do these labels meet the selector? NotIn and DoesNotExist also hold where the key is absent. */
export function matchesSelector(
  selector: LabelSelector,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    if (labelOf(labels, key) !== value) return false;
  }
  return (selector.matchExpressions ?? []).every((requirement) => holds(requirement, labelOf(labels, requirement.key)));
}

function conditionsOf({ key, operator, values = [] }: LabelSelectorRequirement): readonly string[] {
  const allowed = [...new Set(values)].sort();
  const [only] = allowed;
  switch (operator) {
    case 'Exists':
      return [key];
    case 'DoesNotExist':
      return [`!${key}`];
    case 'In':
      // Nothing is in an empty list, and the API has no words for that but a contradiction.
      if (only === undefined) return [key, `!${key}`];
      return [allowed.length === 1 ? `${key}=${only}` : `${key} in (${allowed.join(',')})`];
    case 'NotIn':
      if (only === undefined) return [];
      return [allowed.length === 1 ? `${key}!=${only}` : `${key} notin (${allowed.join(',')})`];
  }
}

function holds({ operator, values = [] }: LabelSelectorRequirement, label: string | undefined): boolean {
  switch (operator) {
    case 'Exists':
      return label !== undefined;
    case 'DoesNotExist':
      return label === undefined;
    case 'In':
      return label !== undefined && values.includes(label);
    case 'NotIn':
      return label === undefined || !values.includes(label);
  }
}

/** Labels may be called `constructor` or `toString`: only the object's own count. */
function labelOf(labels: Readonly<Record<string, string>> | undefined, key: string): string | undefined {
  return labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
}
