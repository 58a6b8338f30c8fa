import { arrayOf, isObject, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import type { SchemaNode } from '../objects/schemaNode.ts';
import { reduceSchema, type SchemaRef } from './reduceSchema.ts';
import { schemaDigests } from './schemaDigests.ts';
import { createNodes } from './schemaNodes.ts';

/** The topologies of one document, without the document: the text of v1 has 1.6 MB, and this is a small part of it. */
export interface Topologies {
  /** Returns the root of a kind's objects; undefined if the document does not have the kind. */
  of(group: string, version: string, kind: string): SchemaNode | undefined;
}

/** Reads a parsed document of `/openapi/v3/<group>/<version>`. Malformed parts are ignored. */
export function topologiesOf(document: unknown): Topologies {
  const schemas = objectOf(objectOf(objectOf(document)['components'])['schemas']);
  const table = new Map<string, SchemaRef>();
  const kinds = new Map<string, string>();
  for (const [name, schema] of Object.entries(schemas)) {
    if (!isObject(schema)) continue;
    table.set(name, reduceSchema(schema));
    for (const kind of kindsOf(schema)) kinds.set(kind, name);
  }
  const open = createNodes(table);
  const digestOf = schemaDigests(schemas);
  const roots = new Map<string, SchemaNode>();
  return {
    of: (group, version, kind) => {
      const name = kinds.get(kindKey(group, version, kind));
      if (name === undefined) return undefined;
      const root = roots.get(name) ?? { ...open(name), digest: digestOf(name) };
      roots.set(name, root);
      return root;
    },
  };
}

/** Returns the root of one kind's objects; undefined if the document does not have the kind. */
export function topologyOf(document: unknown, group: string, version: string, kind: string): SchemaNode | undefined {
  return topologiesOf(document).of(group, version, kind);
}

/** One schema may belong to many kinds, as that of DeleteOptions does. */
function kindsOf(schema: JsonObject): readonly string[] {
  return arrayOf(schema['x-kubernetes-group-version-kind'])
    .map(objectOf)
    .map(({ group, version, kind }) => kindKey(String(group ?? ''), String(version), String(kind)));
}

function kindKey(group: string, version: string, kind: string): string {
  return `${group}/${version}/${kind}`;
}
