/** A metav1.LabelSelectorRequirement. */
export interface LabelSelectorRequirement {
  readonly key: string;
  readonly operator: 'In' | 'NotIn' | 'Exists' | 'DoesNotExist';
  /** Only In and NotIn have values. */
  readonly values?: readonly string[];
}

/** A metav1.LabelSelector: an object is selected if all the requirements hold. */
export interface LabelSelector {
  readonly matchLabels?: Readonly<Record<string, string>>;
  readonly matchExpressions?: readonly LabelSelectorRequirement[];
}

/** Returns whether the labels match. NotIn and DoesNotExist also hold if the key is absent. */
export function matchesSelector(
  selector: LabelSelector,
  labels: Readonly<Record<string, string>> | undefined,
): boolean {
  for (const [key, value] of Object.entries(selector.matchLabels ?? {})) {
    if (labelOf(labels, key) !== value) return false;
  }
  return (selector.matchExpressions ?? []).every((requirement) => holds(requirement, labelOf(labels, requirement.key)));
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

/** A label may have a name of Object.prototype, such as `constructor`: only own properties count. */
function labelOf(labels: Readonly<Record<string, string>> | undefined, key: string): string | undefined {
  return labels !== undefined && Object.hasOwn(labels, key) ? labels[key] : undefined;
}
