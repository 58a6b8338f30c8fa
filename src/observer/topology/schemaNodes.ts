import { type ListTopology, openNode, type SchemaNode, unknownNode } from '../objects/schemaNode.ts';
import type { ReducedSchema, SchemaRef } from './reduceSchema.ts';

/**
 * Creates the nodes of a document's schemas on demand, each of them once: schemas refer to themselves, as that of a
 * CustomResourceDefinition does, so they cannot be expanded in advance.
 */
export function createNodes(table: ReadonlyMap<string, SchemaRef>): (step: SchemaRef) => SchemaNode {
  const nodes = new Map<SchemaRef, SchemaNode>();

  function nodeOf(step: SchemaRef): SchemaNode {
    if (step === undefined) return unknownNode;
    const node = nodes.get(step);
    if (node !== undefined) return node;
    const at = createNode(layersOf(step));
    nodes.set(step, at);
    return at;
  }

  /** Returns the schema and its bases, nearest first. A circular reference ends where it closes. */
  function layersOf(step: SchemaRef, seen = new Set<SchemaRef>()): readonly ReducedSchema[] {
    if (step === undefined || seen.has(step)) return [];
    seen.add(step);
    if (typeof step === 'string') return layersOf(table.get(step), seen);
    return [step, ...step.bases.flatMap((base) => layersOf(base, seen))];
  }

  function defaultOf(items: SchemaRef, key: string): string | number | boolean | undefined {
    return layersOf(items).find(({ defaults }) => Object.hasOwn(defaults, key))?.defaults[key];
  }

  function listOf(layers: readonly ReducedSchema[], items: SchemaRef): ListTopology {
    const list = layers.find((layer) => layer.list !== undefined)?.list;
    if (list?.type !== 'map') return list ?? unknownNode.list;
    const defaults = list.keys.flatMap((key) => {
      const value = defaultOf(items, key);
      return value === undefined ? [] : [[key, value] as const];
    });
    return { type: 'map', keys: list.keys, defaults: Object.fromEntries(defaults) };
  }

  function createNode(layers: readonly ReducedSchema[]): SchemaNode {
    const rest = layers.find((layer) => layer.rest !== undefined)?.rest;
    const items = layers.find((layer) => layer.items !== undefined)?.items;
    const isOpen = layers.some((layer) => layer.isOpen);
    const undeclared = (step: SchemaRef) => (step === undefined && isOpen ? openNode : nodeOf(step));
    return {
      field(name) {
        const declaring = layers.find(({ fields }) => fields.has(name));
        return declaring === undefined ? undeclared(rest) : nodeOf(declaring.fields.get(name));
      },
      items: () => undeclared(items),
      list: listOf(layers, items),
      map: layers.find((layer) => layer.map !== undefined)?.map ?? 'granular',
      isNullable: layers.some((layer) => layer.isNullable),
    };
  }

  return nodeOf;
}
