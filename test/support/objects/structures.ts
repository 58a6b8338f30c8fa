import { readFileSync } from 'node:fs';
import type { SchemaNode } from '../../../src/observer/objects/schemaNode.ts';
import { type Topologies, topologiesOf } from '../../../src/observer/topology/topologies.ts';

/**
 * The OpenAPI document of a real API server, reduced by test/cluster/support/observer/openapiExtract.ts, parsed again.
 */
export function extractedDocument(): unknown {
  const lines = readFileSync(new URL('../../data/openapi.jsonl', import.meta.url), 'utf8')
    .trim()
    .split('\n');
  return { components: { schemas: Object.fromEntries(lines.map((line) => JSON.parse(line))) } };
}

/** The topologies of the kinds in it. */
export const extracted: Topologies = topologiesOf(extractedDocument());

/** The root node of a kind's objects: `structureFor('apps/v1', 'Deployment')`. */
export function structureFor(apiVersion: string, kind: string): SchemaNode {
  const [version = '', group = ''] = apiVersion.split('/').toReversed();
  const at = extracted.of(group, version, kind);
  if (at === undefined) throw new Error(`test/data/openapi.jsonl has no ${apiVersion} ${kind}`);
  return at;
}

/** The node at a path; `*` for the elements of a list: `placeAt(deployment, 'spec.template.spec.containers.*.env')`. */
export function placeAt(top: SchemaNode, path: string): SchemaNode {
  return path.split('.').reduce((at, step) => (step === '*' ? at.items() : at.field(step)), top);
}
