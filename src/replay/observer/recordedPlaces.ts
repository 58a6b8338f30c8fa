import { type SchemaNode, unknownNode } from '../../observer/model/schemaNode.ts';
import type { ObserverInput, RecordedSchemaNode } from '../../recording/observer/observerLines.ts';

/** The schemas of kinds, as far as they were read when they were recorded. `kind`: `kindKey`. */
export function recordedSchemaNodes(inputs: readonly ObserverInput[]): (kind: string) => SchemaNode {
  const places = new Map<string, RecordedSchemaNode>();
  for (const input of inputs) if (input.in === 'schemaNode') places.set(idOf(input.kind, input.path), input);

  function at(kind: string, path: readonly string[]): SchemaNode {
    const { list, map } = places.get(idOf(kind, path)) ?? unknownNode;
    return { field: (name) => at(kind, [...path, name]), items: () => at(kind, [...path, '[]']), list, map };
  }

  return (kind) => at(kind, []);
}

function idOf(kind: string, path: readonly string[]): string {
  return JSON.stringify([kind, ...path]);
}
