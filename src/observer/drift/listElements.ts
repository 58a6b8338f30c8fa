import { arrayOf, isObject } from '@weeder/kube-runtime/base';
import { elementStep, elementText } from '../objects/path.ts';
import type { ListTopology, SchemaNode } from '../objects/schemaNode.ts';
import { elementOf, type FieldMask } from '../schema/fieldMask.ts';

/** The elements of a live list, matched with those of the manifest by their keys. */
interface MatchedList {
  /** The observed elements in the manifest's order, whether they exist or not. */
  readonly listed: readonly ListedElement[];
  /** Elements that occur more than once, by their step, with their number. */
  readonly duplicates: readonly (readonly [step: string, count: number])[];
  /** The number of live elements, with duplicates counted once. */
  readonly length: number;
  /** The live elements that are not listed, in their order. */
  readonly others: readonly (readonly [step: string, element: unknown])[];
}

interface ListedElement {
  /** As in a path: `[name="web"]`. */
  readonly step: string;
  /** Undefined if it does not exist. */
  readonly live: unknown;
  readonly manifest: unknown;
  readonly mask: FieldMask;
}

/** A live value that is not a list counts as an empty list. */
export function matchElements(live: unknown, manifest: unknown, mask: FieldMask, list: ListTopology): MatchedList {
  const by = tellingApart(mask, list);
  const stepOf = (element: unknown, index: number) => elementText(elementStep(by, element, index));
  const seen = new Map<string, { readonly element: unknown; count: number }>();
  for (const [index, element] of arrayOf(live).entries()) {
    const step = stepOf(element, index);
    const first = seen.get(step);
    if (first === undefined) seen.set(step, { element, count: 1 });
    else first.count += 1;
  }
  const listed = arrayOf(manifest).flatMap((element, index): readonly ListedElement[] => {
    const below = elementOf(mask, index);
    const step = stepOf(element, index);
    return below === undefined ? [] : [{ step, live: seen.get(step)?.element, manifest: element, mask: below }];
  });
  const steps = new Set(listed.map(({ step }) => step));
  const elements = [...seen];
  return {
    listed,
    duplicates: elements.flatMap(([step, { count }]) => (count > 1 ? [[step, count] as const] : [])),
    length: seen.size,
    others: elements.flatMap(([step, { element }]) => (steps.has(step) ? [] : [[step, element] as const])),
  };
}

/** Deeper than any value with an order of its own. */
const deepest = 100;

/**
 * Returns a value that the manifest does not have with its map lists and sets sorted by content, because their order on
 * the API server has no meaning.
 */
export function canonicalOrder(value: unknown, at: SchemaNode, depth = 0): unknown {
  if (depth > deepest) return value;
  if (Array.isArray(value)) {
    const elements = value.map((element) => canonicalOrder(element, at.items(), depth + 1));
    return at.list.type === 'map' || at.list.type === 'set' ? sortedBy(elements, at.list) : elements;
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, canonicalOrder(each, at.field(name), depth + 1)]),
  );
}

function sortedBy(elements: readonly unknown[], list: ListTopology): readonly unknown[] {
  const steps = elements.map((element, index) => [elementText(elementStep(list, element, index)), element] as const);
  return steps.toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0)).map(([, element]) => element);
}

/** Matches elements as the API server does, or by the key in the observer schema. */
function tellingApart(mask: FieldMask, list: ListTopology): ListTopology {
  if (list.type === 'map' || list.type === 'set' || mask.type !== 'list' || mask.key === undefined) return list;
  return { type: 'map', keys: mask.key, defaults: {} };
}
