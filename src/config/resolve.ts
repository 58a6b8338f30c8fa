import type { LabelSelector, LabelSelectorRequirement } from '@weeder/kube-runtime/objects';

interface SelectorEntry {
  readonly matchLabels?: Readonly<Record<string, string>> | undefined;
  readonly matchExpressions?: readonly RequirementEntry[] | undefined;
}

interface RequirementEntry extends Omit<LabelSelectorRequirement, 'values'> {
  readonly values?: readonly string[] | undefined;
}

/** Removes empty keys from a selector of the file. */
export function resolveSelector({ matchLabels, matchExpressions }: SelectorEntry): LabelSelector {
  return {
    ...(matchLabels === undefined ? {} : { matchLabels }),
    ...(matchExpressions === undefined ? {} : { matchExpressions: matchExpressions.map(resolveRequirement) }),
  };
}

function resolveRequirement({ key, operator, values }: RequirementEntry): LabelSelectorRequirement {
  return { key, operator, ...(values === undefined || values.length === 0 ? {} : { values }) };
}

/** Removes duplicates from a list of names; undefined stays undefined. */
export function distinct<T extends readonly string[] | undefined>(
  names: T,
): T extends undefined ? undefined : readonly string[];
export function distinct(names: readonly string[] | undefined): readonly string[] | undefined {
  return names === undefined ? undefined : [...new Set(names)];
}
