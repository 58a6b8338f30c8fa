import type { Append } from '../../recording/file/entry.ts';
import { type SchemaNode, unknownNode } from '../objects/schemaNode.ts';

/** Wraps the schemas of kinds, and records each node when it is read for the first time. */
export function recordSchemaNodes(append: Append): (kind: string, at: SchemaNode) => SchemaNode {
  const wrappedNodes = new Map<string, { readonly at: SchemaNode; readonly wrapped: SchemaNode }>();
  const recorded = new Set<string>();

  function recordNode(kind: string, path: readonly string[], { list, map, isNullable }: SchemaNode): void {
    const id = JSON.stringify([kind, ...path]);
    if (recorded.has(id) || (list.type === 'unknown' && map === 'granular' && !isNullable)) return;
    recorded.add(id);
    append({ in: 'schemaNode', kind, path, list, map, ...(isNullable && { isNullable }) });
  }

  function wrap(kind: string, path: readonly string[], at: SchemaNode): SchemaNode {
    recordNode(kind, path, at);
    const below = new Map<string, SchemaNode>();
    const step = (name: string, next: () => SchemaNode): SchemaNode => {
      const seen = below.get(name);
      if (seen !== undefined) return seen;
      const child = next();
      // Nothing is known below an unknown node.
      const node = child === unknownNode ? unknownNode : wrap(kind, [...path, name], child);
      below.set(name, node);
      return node;
    };
    return {
      field: (name) => step(name, () => at.field(name)),
      items: () => step('[]', () => at.items()),
      list: at.list,
      map: at.map,
      isNullable: at.isNullable,
    };
  }

  return (kind, at) => {
    const before = wrappedNodes.get(kind);
    if (before?.at === at) return before.wrapped;
    // A new version of a schema may have other nodes at the same paths.
    if (before !== undefined) recorded.clear();
    const wrapped = { ...wrap(kind, [], at), ...(at.digest !== undefined && { digest: at.digest }) };
    wrappedNodes.set(kind, { at, wrapped });
    return wrapped;
  };
}
