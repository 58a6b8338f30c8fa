import type { RecordedSchemaNode } from '../../recording/file/entry.ts';
import type { RecordedLine } from '../../recording/file/lines.ts';
import { type SchemaNode, unknownNode } from '../objects/schemaNode.ts';

/** Returns the recorded schema of a kind such as `apps/v1/Deployment`: the nodes that were read in the recorded run. */
export function recordedSchemaNodes(lines: readonly RecordedLine[]): (kind: string) => SchemaNode {
  const nodes = new Map<string, RecordedSchemaNode>();
  for (const line of lines) if ('in' in line && line.in === 'schemaNode') nodes.set(idOf(line.kind, line.path), line);

  function at(kind: string, path: readonly string[]): SchemaNode {
    const { list, map, isNullable = false } = nodes.get(idOf(kind, path)) ?? unknownNode;
    return {
      field: (name) => at(kind, [...path, name]),
      items: () => at(kind, [...path, '[]']),
      list,
      map,
      isNullable,
    };
  }

  return (kind) => at(kind, []);
}

function idOf(kind: string, path: readonly string[]): string {
  return JSON.stringify([kind, ...path]);
}
