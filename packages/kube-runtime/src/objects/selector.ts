/** One condition on a label, as in metav1.LabelSelectorRequirement. */
export interface LabelSelectorRequirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  /** Only for In and NotIn. */
  readonly values?: readonly string[];
}

/** Selects objects by their labels: all conditions must hold, as in metav1.LabelSelector. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}

/**
 * The selector in the form of the `labelSelector` parameter, sorted and without duplicates, so that equivalent
 * selectors give the same text. An empty selector gives an empty text, which selects everything.
 */
export function selectorToString(selector: LabelSelector): string {
  const cachedText = texts.get(selector);
  if (cachedText !== undefined) return cachedText;
  const text = textOf(selector);
  texts.set(selector, text);
  return text;
}

/** A config may have ten thousand selectors, and each step that compares them needs the same texts. */
const texts = new WeakMap<LabelSelector, string>();

function textOf(selector: LabelSelector): string {
  const conditions = new Set<string>();
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) conditions.add(`${key}=${value}`);
  for (const requirement of selector.matchExpressions ?? []) {
    for (const condition of conditionsOf(requirement)) conditions.add(condition);
  }
  return [...conditions].sort().join(',');
}

/** Whether the labels match the selector. NotIn and DoesNotExist also match if the key is absent. */
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
      // Nothing is in an empty list, which the API can only express as a contradiction.
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

/** A label may be named `constructor` or `toString`: only own properties count. */
function labelOf(labels: Readonly<Record<string, string>> | undefined, key: string): string | undefined {
  return labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
}
