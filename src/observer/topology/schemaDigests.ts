import { createHash } from 'node:crypto';
import type { JsonObject } from '@weeder/kube-runtime/base';
import { boundedJson } from '../objects/jsonValue.ts';

/**
 * Returns a function that digests one schema of a document, with all schemas that it refers to. Equal digests mean equal
 * schemas. Descriptions do not count, because they differ between versions of an API server.
 */
export function schemaDigests(schemas: JsonObject): (name: string) => string {
  const own = new Map<string, { readonly digest: string; readonly refs: readonly string[] }>();
  for (const [name, schema] of Object.entries(schemas)) {
    const refs: string[] = [];
    const text = JSON.stringify(boundedJson(schema) ?? null, (key, value: unknown) => {
      if (key === '$ref' && typeof value === 'string') refs.push(value.slice(value.lastIndexOf('/') + 1));
      return key === 'description' && typeof value === 'string' ? undefined : value;
    });
    own.set(name, { digest: digestOf(text), refs });
  }
  return (name) => {
    const reached = new Set([name]);
    for (const each of reached) for (const ref of own.get(each)?.refs ?? []) reached.add(ref);
    return digestOf([...reached].map((each) => own.get(each)?.digest ?? '').join(' '));
  };
}

function digestOf(text: string): string {
  return createHash('sha256').update(text).digest('base64url').slice(0, 22);
}
