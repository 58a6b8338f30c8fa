import { type SchemaNode, unknownNode } from '../../observer/model/schemaNode.ts';
import type { ObserverInput, RecordedSchemaNode } from '../../recording/observer/observerLines.ts';

/** Returns the recorded schema of a kind: the nodes that were read in the recorded run. `kind`: from `kindKey`. */
export function recordedSchemaNodes(inputs: readonly ObserverInput[]): (kind: string) => SchemaNode {
  const nodes = new Map<string, RecordedSchemaNode>();
  for (const input of inputs) if (input.in === 'schemaNode') nodes.set(idOf(input.kind, input.path), input);

  function at(kind: string, path: readonly string[]): SchemaNode {
    const { list, map } = nodes.get(idOf(kind, path)) ?? unknownNode;
    return { field: (name) => at(kind, [...path, name]), items: () => at(kind, [...path, '[]']), list, map };
  }

  return (kind) => at(kind, []);
}

function idOf(kind: string, path: readonly string[]): string {
  return JSON.stringify([kind, ...path]);
}
