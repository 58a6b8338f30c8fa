import { arrayOf, isObject } from '../../base/json.ts';
import { elementStep, elementText } from '../model/path.ts';
import type { At, ListStructure } from '../model/structure.ts';
import { elementOf, type Shape } from '../schema/shape.ts';

/** A live list, its elements found by what tells them apart. */
interface SeenList {
  /** Elements that are observed, whether they are there or not, in the manifest's order. */
  readonly listed: readonly ListedElement[];
  /** Elements that are there more than once, by their step, and how often. */
  readonly duplicates: readonly (readonly [step: string, count: number])[];
  /** Of what is there, duplicates counted once. */
  readonly length: number;
  /** What is there beside those that are listed, in its order. */
  readonly others: readonly (readonly [step: string, element: unknown])[];
}

interface ListedElement {
  /** As in a path: `[name="web"]`. */
  readonly step: string;
  /** Undefined: it is not there. */
  readonly live: unknown;
  readonly manifest: unknown;
  readonly shape: Shape;
}

/** What is no list counts as an empty one. */
export function lookAtList(live: unknown, manifest: unknown, shape: Shape, list: ListStructure): SeenList {
  const by = tellingApart(shape, list);
  const stepOf = (element: unknown, index: number) => elementText(elementStep(by, element, index));
  const seen = new Map<string, { readonly element: unknown; count: number }>();
  for (const [index, element] of arrayOf(live).entries()) {
    const step = stepOf(element, index);
    const first = seen.get(step);
    if (first === undefined) seen.set(step, { element, count: 1 });
    else first.count += 1;
  }
  const listed = arrayOf(manifest).flatMap((element, index): readonly ListedElement[] => {
    const below = elementOf(shape, index);
    const step = stepOf(element, index);
    return below === undefined ? [] : [{ step, live: seen.get(step)?.element, manifest: element, shape: below }];
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
export function inOrder(value: unknown, at: At, depth = 0): unknown {
  if (depth > deepest) return value;
  if (Array.isArray(value)) {
    const elements = value.map((element) => inOrder(element, at.items(), depth + 1));
    return at.list.is === 'map' || at.list.is === 'set' ? sortedBy(elements, at.list) : elements;
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, inOrder(each, at.field(name), depth + 1)]),
  );
}

function sortedBy(elements: readonly unknown[], list: ListStructure): readonly unknown[] {
  const steps = elements.map((element, index) => [elementText(elementStep(list, element, index)), element] as const);
  return steps.toSorted(([one], [other]) => (one < other ? -1 : one > other ? 1 : 0)).map(([, element]) => element);
}

/** The server's own way; the observer schema's where that is to know the place, and nothing else. */
function tellingApart(shape: Shape, list: ListStructure): ListStructure {
  if (list.is === 'map' || list.is === 'set' || shape.is !== 'list' || shape.key === undefined) return list;
  return { is: 'map', keys: shape.key, defaults: {} };
}
