import { type LabelSelector, matchesSelector } from './selector.ts';

/** Finds those of many selectors that select an object. The cost depends on its labels, and hardly on their number. */
export interface SelectorIndex {
  /** The selectors that select an object with these labels, in the order in which they were given. */
  matching(labels: Readonly<Record<string, string>>): IndexedSelector[];
}

export interface IndexedSelector {
  /** The canonical text. */
  readonly text: string;
  readonly position: number;
}

interface Candidate extends IndexedSelector {
  readonly selector: LabelSelector;
}

/** The values of a label of which an object must have one; undefined: any value. */
interface Required {
  readonly key: string;
  readonly values: readonly string[] | undefined;
}

/** The candidates by one label that they require: for each value, and for any value. */
interface ByValue {
  readonly values: Map<string, Candidate[]>;
  readonly any: Candidate[];
}

/** `selectors`: by their canonical texts. */
export function createSelectorIndex(selectors: ReadonlyMap<string, LabelSelector>): SelectorIndex {
  const candidates = [...selectors].map(([text, selector], position) => ({ text, selector, position }));
  const frequencies = countRequirements(candidates);
  const byKey = new Map<string, ByValue>();
  /** Selectors that require no label: hardly any config has one, and it selects nearly every pod. */
  const others: Candidate[] = [];

  for (const candidate of candidates) {
    const rarest = rarestOf(requirementsOf(candidate.selector), frequencies);
    if (rarest === undefined) others.push(candidate);
    else put(byKey, rarest, candidate);
  }

  function* candidatesFor(labels: Readonly<Record<string, string>>): Generator<Candidate> {
    for (const [key, value] of Object.entries(labels)) {
      const byValue = byKey.get(key);
      if (byValue === undefined) continue;
      yield* byValue.any;
      yield* byValue.values.get(value) ?? [];
    }
    yield* others;
  }

  return {
    matching: (labels) =>
      [...candidatesFor(labels)]
        .filter(({ selector }) => matchesSelector(selector, labels))
        .sort((a, b) => a.position - b.position),
  };
}

function put(byKey: Map<string, ByValue>, { key, values }: Required, candidate: Candidate): void {
  const byValue = byKey.get(key) ?? { values: new Map<string, Candidate[]>(), any: [] };
  byKey.set(key, byValue);
  if (values === undefined) byValue.any.push(candidate);
  for (const value of values ?? []) {
    const candidates = byValue.values.get(value);
    if (candidates === undefined) byValue.values.set(value, [candidate]);
    else candidates.push(candidate);
  }
}

function requirementsOf({ matchLabels, matchExpressions }: LabelSelector): readonly Required[] {
  return [
    ...Object.entries(matchLabels ?? {}).map(([key, value]) => ({ key, values: [value] })),
    ...(matchExpressions ?? []).flatMap(({ key, operator, values }): Required[] => {
      if (operator === 'In') return [{ key, values: [...new Set(values)] }];
      return operator === 'Exists' ? [{ key, values: undefined }] : [];
    }),
  ];
}

/** By requirement on one label: how many selectors have it. */
type Frequencies = ReadonlyMap<string, number>;

function countRequirements(candidates: readonly Candidate[]): Frequencies {
  const counts = new Map<string, number>();
  for (const { selector } of candidates) {
    const texts = new Set(requirementsOf(selector).flatMap(textsOf));
    for (const text of texts) counts.set(text, (counts.get(text) ?? 0) + 1);
  }
  return counts;
}

/** A label that many selectors require, such as that of a tool which manages all workloads, hardly narrows them down. */
function rarestOf(requirements: readonly Required[], frequencies: Frequencies): Required | undefined {
  const costOf = (required: Required) => {
    const counts = textsOf(required).map((text) => frequencies.get(text) ?? 0);
    // A label with any value is likely to select more objects than one with a certain value.
    return counts.reduce((sum, count) => sum + count, 0) + (required.values === undefined ? frequencies.size : 0);
  };
  const [first, ...others] = requirements;
  return others.reduce<Required | undefined>(
    (best, each) => (best === undefined || costOf(each) < costOf(best) ? each : best),
    first,
  );
}

function textsOf({ key, values }: Required): readonly string[] {
  return values === undefined ? [key] : values.map((value) => `${key}=${value}`);
}
