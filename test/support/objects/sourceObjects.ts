import type { SourceRef } from '../../../src/restart/references/refs.ts';

const secretShop: SourceRef = { kind: 'Secret', namespace: 'shop', name: 'password' };

/** A Secret as the API server serves it; the values are given in clear text. */
export function secretObject(data: Readonly<Record<string, string>>, { namespace, name }: Partial<SourceRef> = {}) {
  return {
    kind: 'Secret',
    apiVersion: 'v1',
    metadata: {
      name: name ?? secretShop.name,
      namespace: namespace ?? secretShop.namespace,
      uid: 'uid-of-the-secret',
      resourceVersion: '7',
      creationTimestamp: '2026-11-21T10:00:00Z',
    },
    data: Object.fromEntries(Object.entries(data).map(([key, value]) => [key, base64(value)])),
    type: 'Opaque',
  };
}

export function base64(value: string | Buffer): string {
  return Buffer.from(value).toString('base64');
}

/** Whether a text contains this value, across line breaks, in clear text or encoded as in a Secret. */
export function holds(text: string, value: string): boolean {
  return [value, base64(value).replace(/=+$/, '')].some((each) => text.includes(each));
}
