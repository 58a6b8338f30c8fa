import { isObject, type JsonObject } from '@weeder/kube-runtime/base';
import fc, { type GeneratorValue } from 'fast-check';
import type { Json } from '../../../src/observer/objects/identity.ts';
import { type SchemaNode, unknownNode } from '../../../src/observer/objects/schemaNode.ts';

/** A made-up kind: the fields of its objects. */
export type Node =
  | { readonly type: 'scalar' }
  | { readonly type: 'map'; readonly isAtomic: boolean; readonly fields: Readonly<Record<string, Node>> }
  | { readonly type: 'list'; readonly list: ListKind; readonly items: Node };

export type MapNode = Node & { readonly type: 'map' };
export type ListNode = Node & { readonly type: 'list' };

/** `one`: keyed by `k`; `two`: by `k` and `p`, which defaults to `TCP`. */
export type ListKind = 'one' | 'two' | 'set' | 'atomic' | 'unknown';

/**
 * The spec of an object of a random kind: its manifest, what a schema lists of it, what the server made of it, and then
 * another client.
 */
export interface Case {
  readonly node: MapNode;
  readonly manifest: JsonObject;
  /** What the entry lists; undefined: there is no schema. */
  readonly schema: JsonObject | undefined;
  readonly reply: JsonObject;
  readonly live: JsonObject;
}

/** Names that are ambiguous when they are concatenated. */
const names = ['a', 'b', 'a.b', 'b[0]', 'constructor'];
const values: readonly Json[] = ['x', 'y', '', 0, 1, true, null];

class Draw {
  readonly #draw: GeneratorValue;

  constructor(draw: GeneratorValue) {
    this.#draw = draw;
  }

  below(count: number): number {
    return this.#draw(fc.nat, { max: count - 1 });
  }

  /** Returns true once in `inTimes` calls on average. */
  once(inTimes: number): boolean {
    return this.below(inTimes) === 0;
  }

  of<T>(list: readonly [T, ...T[]] | readonly T[], changed: T): T {
    return list[this.below(list.length)] ?? changed;
  }

  list<T>(max: number, make: (index: number) => T): T[] {
    return Array.from({ length: this.below(max + 1) }, (_, index) => make(index));
  }
}

export const cases: fc.Arbitrary<Case> = fc.gen().map((generate) => {
  const draw = new Draw(generate);
  const node = mapNode(draw, 3);
  const manifest = mapValue(draw, node);
  const reply = asMap(edit(draw, node, manifest, 6));
  return {
    node,
    manifest,
    reply,
    // Whatever else it lists, it observes something: an entry that does not is refused.
    schema: draw.once(4) ? undefined : { ...mapSchema(draw, node, manifest), nothing: null },
    live: asMap(edit(draw, node, reply, draw.once(3) ? 100 : 5)),
  };
});

function mapNode(draw: Draw, depth: number, keys: readonly string[] = []): MapNode {
  const own = names.filter(() => draw.once(2)).map((name) => [name, someNode(draw, depth - 1)] as const);
  const key = keys.map((name) => [name, { type: 'scalar' }] as const);
  return {
    type: 'map',
    isAtomic: keys.length === 0 && depth < 3 && draw.once(4),
    fields: Object.fromEntries([...key, ...own]),
  };
}

function someNode(draw: Draw, depth: number): Node {
  const is = depth <= 0 ? 0 : draw.below(4);
  if (is === 0) return { type: 'scalar' };
  if (is === 1) return mapNode(draw, depth);
  const list = draw.of<ListKind>(['one', 'two', 'set', 'atomic', 'unknown'], 'one');
  if (list === 'set') return { type: 'list', list, items: { type: 'scalar' } };
  return { type: 'list', list, items: mapNode(draw, depth, list === 'two' ? ['k', 'p'] : ['k']) };
}

function mapValue(draw: Draw, { fields: below }: MapNode): JsonObject {
  const chosen = Object.entries(below).filter(([name]) => name === 'k' || !draw.once(4));
  return Object.fromEntries(chosen.map(([name, node]) => [name, value(draw, node)]));
}

function value(draw: Draw, node: Node): unknown {
  if (node.type === 'scalar') return draw.of(values, 'x');
  if (node.type === 'map') return mapValue(draw, node);
  return elements(draw, node);
}

/** Nothing twice: the server refuses that in a manifest. */
function elements(draw: Draw, { list, items }: ListNode): unknown[] {
  if (list === 'set') return ['x', 'y', 'z'].filter(() => draw.once(2));
  return draw.list(3, (index) => element(draw, items, index));
}

function element(draw: Draw, items: Node, index: number): unknown {
  const content = items.type === 'map' ? mapValue(draw, items) : draw.of(values, 'x');
  if (!isObject(content)) return content;
  return { ...content, k: `k${index}`, ...('p' in content ? { p: draw.of(['TCP', 'UDP'], 'TCP') } : {}) };
}

/** Fields of the manifest that can be listed, and one that it lacks. */
function mapSchema(draw: Draw, node: MapNode, manifest: JsonObject): JsonObject {
  const listed = Object.entries(node.fields)
    .filter(() => !draw.once(3))
    .map(([name, below]) => [name, schema(draw, below, Object.hasOwn(manifest, name) ? manifest[name] : undefined)]);
  return Object.fromEntries(listed.length === 0 ? [['nothing', null]] : listed);
}

function schema(draw: Draw, node: Node, manifest: unknown): unknown {
  if (node.type === 'scalar' || draw.once(4)) return draw.once(2) ? null : 'observed';
  if (node.type === 'map') return mapSchema(draw, node, isObject(manifest) ? manifest : {});
  const list: readonly unknown[] = Array.isArray(manifest) ? manifest : [];
  const listed = list.slice(0, draw.below(list.length + 1)).map((each) => schema(draw, node.items, each));
  return [...listed, { ...boundsFor(draw, list.length), ...(node.list !== 'set' && draw.once(2) ? key : {}) }];
}

function boundsFor(draw: Draw, length: number) {
  const isExact = draw.once(3);
  const min = isExact ? length : draw.below(length + 1);
  const max = isExact ? length : draw.once(2) ? 0 : length + draw.below(3);
  return { observer_schema_list_min_length: min, observer_schema_list_max_length: max };
}

/** If the server identifies the elements itself, the schema needs no key. */
const key = { observer_schema_list_key: 'k' };

/** What admission or a human may make of a value; each of its parts changes once in so many times. */
function edit(draw: Draw, node: Node, before: unknown, inTimes: number): unknown {
  if (draw.once(inTimes * 4)) return draw.of<unknown>(['odd', 7, [], {}, null, [{}], ['x']], {});
  if (isObject(before) && node.type === 'map') return editMap(draw, node, before, inTimes);
  if (Array.isArray(before) && node.type === 'list') return editList(draw, node, before, inTimes);
  return draw.once(inTimes) ? value(draw, node) : before;
}

function editMap(draw: Draw, node: MapNode, before: JsonObject, inTimes: number): JsonObject {
  const left = Object.entries(before).flatMap(([name, was]) => {
    const below = Object.hasOwn(node.fields, name) ? node.fields[name] : undefined;
    if (below === undefined || name === 'k') return [[name, was]];
    return draw.once(inTimes) ? [] : [[name, edit(draw, below, was, inTimes)]];
  });
  const missing = Object.entries(node.fields).filter(([name]) => !Object.hasOwn(before, name));
  const added = missing.filter(() => draw.once(inTimes)).map(([name, below]) => [name, value(draw, below)]);
  return Object.fromEntries([...left, ...added]);
}

function editList(draw: Draw, node: ListNode, before: readonly unknown[], inTimes: number): unknown[] {
  const { items, list } = node;
  const left = before.flatMap((was) => (draw.once(inTimes) ? [] : [edit(draw, items, was, inTimes)]));
  const more = draw.once(inTimes)
    ? [list === 'set' ? draw.of(['x', 'q'], 'q') : element(draw, items, draw.below(6))]
    : [];
  const twice = draw.once(inTimes * 3) ? left.slice(0, 1) : [];
  const newList = draw.once(2) ? [...more, ...left, ...twice] : [...left, ...twice, ...more];
  return draw.once(3) && list !== 'atomic' && list !== 'unknown' ? newList.toReversed() : newList;
}

function asMap(edited: unknown): JsonObject {
  return isObject(edited) ? edited : {};
}

/** The topology of a kind, as in the API server's document. */
export function topologyOfNode(node: Node | undefined): SchemaNode {
  if (node === undefined || node.type === 'scalar') return unknownNode;
  if (node.type === 'map')
    return {
      ...unknownNode,
      field: (name) => topologyOfNode(Object.hasOwn(node.fields, name) ? node.fields[name] : undefined),
      map: node.isAtomic ? 'atomic' : 'granular',
    };
  return { ...unknownNode, items: () => topologyOfNode(node.items), list: listStructures[node.list] };
}

const listStructures: Readonly<Record<ListKind, SchemaNode['list']>> = {
  one: { type: 'map', keys: ['k'], defaults: {} },
  two: { type: 'map', keys: ['k', 'p'], defaults: { p: 'TCP' } },
  set: { type: 'set' },
  atomic: { type: 'atomic' },
  unknown: { type: 'unknown' },
};
