import type { HashKey, SourceContent } from '../../../src/restart/digest/digest.ts';
import type { SourceRef } from '../../../src/restart/references/refs.ts';
import type { Use } from '../../../src/restart/references/uses.ts';

/** Sources and uses of them, for the tests of restart control. */

export const settings: SourceRef = { kind: 'ConfigMap', namespace: 'shop', name: 'settings' };
export const password: SourceRef = { kind: 'Secret', namespace: 'shop', name: 'password' };

export const hashKey: HashKey = { id: 'a1b2c3d4', bytes: Buffer.alloc(32, 7) };

/** A required use of the whole source in the container `app`, unless `more` overrides that. */
export function use(how: Use['how'], more: Partial<Use> = {}): Use {
  return { source: settings, key: undefined, isOptional: false, containers: ['app'], ...more, how };
}

/** The content of a source, from texts. */
export function contentOf(data: Readonly<Record<string, string>>, binaryData: Readonly<Record<string, string>> = {}) {
  const bytes = (values: Readonly<Record<string, string>>) =>
    new Map(Object.entries(values).map(([key, text]) => [key, Buffer.from(text)]));
  return { data: bytes(data), binaryData: bytes(binaryData), isImmutable: false } satisfies SourceContent;
}
