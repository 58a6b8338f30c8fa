import assert from 'node:assert/strict';
import { type JsonObject, objectOf } from '../../../src/base/json.ts';
import type { Manifest } from '../../../src/observer/model/identity.ts';
import { readObserverSchema } from '../../../src/observer/schema/read.ts';
import type { Shape } from '../../../src/observer/schema/shape.ts';
import { shapeFor } from '../../../src/observer/schema/shapeFor.ts';

/** The shape by a schema of one entry, about this manifest: only what it lists is given. */
export function shapeOf(manifest: Manifest, { metadata, ...fields }: JsonObject): Shape {
  const { kind, name } = manifest.identity;
  const entry = { apiVersion: manifest.apiVersion, kind, metadata: { ...objectOf(metadata), name }, ...fields };
  const read = readObserverSchema([entry]);
  assert.deepEqual(read.faults, []);
  const fitted = shapeFor(manifest, read);
  if (!fitted.ok) assert.fail(JSON.stringify(fitted.error));
  return fitted.value;
}
