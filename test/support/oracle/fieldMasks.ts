import assert from 'node:assert/strict';
import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import type { Manifest } from '../../../src/observer/objects/identity.ts';
import type { FieldMask } from '../../../src/observer/schema/fieldMask.ts';
import { fieldMaskFor } from '../../../src/observer/schema/fieldMaskFor.ts';
import { readObserverSchema } from '../../../src/observer/schema/readObserverSchema.ts';

/** The field mask by a schema of one entry, for this manifest: only the listed fields are given. */
export function maskOf(manifest: Manifest, { metadata, ...fields }: JsonObject): FieldMask {
  const { kind, name } = manifest.identity;
  const entry = { apiVersion: manifest.apiVersion, kind, metadata: { ...objectOf(metadata), name }, ...fields };
  const read = readObserverSchema([entry]);
  assert.deepEqual(read.errors, []);
  const fitted = fieldMaskFor(manifest, read);
  if (!fitted.ok) assert.fail(JSON.stringify(fitted.error));
  return fitted.value;
}
