import { type SchemaNode, unknownNode } from '../../observer/model/schemaNode.ts';
import type { AppendObserver } from './observerLines.ts';

/** The schemas of kinds, with each node recorded when it is read for the first time. */
export function recordSchemaNodes(append: AppendObserver): (kind: string, at: SchemaNode) => SchemaNode {
  const known = new Map<string, { readonly at: SchemaNode; readonly event: SchemaNode }>();
  const event = new Set<string>();

  function recordNode(kind: string, path: readonly string[], { list, map }: SchemaNode): void {
    const id = JSON.stringify([kind, ...path]);
    if (event.has(id) || (list.is === 'unknown' && map === 'granular')) return;
    event.add(id);
    append({ in: 'schemaNode', kind, path, list, map });
  }

  function wrap(kind: string, path: readonly string[], at: SchemaNode): SchemaNode {
    recordNode(kind, path, at);
    const below = new Map<string, SchemaNode>();
    const step = (name: string, next: () => SchemaNode): SchemaNode => {
      const seen = below.get(name);
      if (seen !== undefined) return seen;
      const its = next();
      // A place of which nothing is said has nothing to say of what is below it.
      const place = its === unknownNode ? unknownNode : wrap(kind, [...path, name], its);
      below.set(name, place);
      return place;
    };
    return {
      field: (name) => step(name, () => at.field(name)),
      items: () => step('[]', () => at.items()),
      list: at.list,
      map: at.map,
    };
  }

  return (kind, at) => {
    const before = known.get(kind);
    if (before?.at === at) return before.event;
    // Another version of a kind may say other things of the same places.
    if (before !== undefined) event.clear();
    const its = wrap(kind, [], at);
    known.set(kind, { at, event: its });
    return its;
  };
}
