import { arrayOf, isObject } from '../../base/json.ts';
import { elementStep, elementText } from '../model/path.ts';
import type { ListTopology, SchemaNode } from '../model/schemaNode.ts';
import { elementOf, type FieldMask } from '../schema/fieldMask.ts';

/** The elements of a live list, matched with those of the manifest by their keys. */
interface MatchedList {
  /** Elements that are observed, whether they are there or not, in the manifest's order. */
  readonly listed: readonly ListedElement[];
  /** Elements that are there more than once, by their step, and how often. */
  readonly duplicates: readonly (readonly [step: string, count: number])[];
  /** Of what is there, duplicates counted once. */
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

/** What is no list counts as an empty one. */
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
  const all = [...seen];
  return {
    listed,
    duplicates: all.flatMap(([step, { count }]) => (count > 1 ? [[step, count] as const] : [])),
    length: seen.size,
    others: all.flatMap(([step, { element }]) => (steps.has(step) ? [] : [[step, element] as const])),
  };
}

/** Deeper than anything that has an order of its own. */
const deepest = 100;

/**
 * A value of which the manifest says nothing, its map lists and sets in an order that only depends on what is in them, so
 * that the API server's order is no part of it.
 */
export function canonicalOrder(value: unknown, at: SchemaNode, depth = 0): unknown {
  if (depth > deepest) return value;
  if (Array.isArray(value)) {
    const elements = value.map((element) => canonicalOrder(element, at.items(), depth + 1));
    return at.list.is === 'map' || at.list.is === 'set' ? sortedBy(elements, at.list) : elements;
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

/** The server's own way; the observer schema's where that is to know the place, and nothing else. */
function tellingApart(mask: FieldMask, list: ListTopology): ListTopology {
  if (list.is === 'map' || list.is === 'set' || mask.is !== 'list' || mask.key === undefined) return list;
  return { is: 'map', keys: mask.key, defaults: {} };
}
