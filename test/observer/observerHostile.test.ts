import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { split } from '../../src/observer/apply/split.ts';
import { compare } from '../../src/observer/drift/compare.ts';
import { project } from '../../src/observer/drift/project.ts';
import type { Manifest } from '../../src/observer/objects/identity.ts';
import { type FieldMask, leaf } from '../../src/observer/schema/fieldMask.ts';
import { manifestOf, nginxService } from '../support/docs/manifests.ts';
import { type Edit, edited } from '../support/objects/edits.ts';
import { structureFor } from '../support/objects/structures.ts';
import { maskOf } from '../support/oracle/fieldMasks.ts';

function driftsAfter(manifest: Manifest, mask: FieldMask, edits: readonly Edit[]) {
  const topology = structureFor(manifest.apiVersion, manifest.identity.kind);
  const of = (object: JsonObject) => project(object, manifest, mask, topology);
  const drifts = compare(of(manifest.object), of(edited(manifest.object, ...edits)));
  split(manifest, mask, topology);
  return drifts;
}

/** A value nested deeper than the API server allows in a custom resource. */
function nested(levels: number, isList: boolean): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level += 1) value = isList ? [value] : { x: value };
  return value;
}

const gadget = manifestOf({
  apiVersion: 'observer.example.org/v1',
  kind: 'Gadget',
  metadata: { name: 'g' },
  spec: { plain: [{ name: 'a' }], open: { a: 1 }, whole: { a: 'b' }, tags: ['a'], parts: [{ name: 'a' }] },
});

for (const isList of [true, false])
  test(`a live object with ${isList ? 'lists' : 'maps'} nested 20,000 deep is compared`, () => {
    const deep = nested(20_000, isList);
    for (const path of [
      'spec.plain',
      'spec.open.a',
      'spec.whole',
      'spec.tags',
      'spec.parts',
      'spec.parts.0.name',
      'spec',
    ])
      assert.ok(driftsAfter(gadget, leaf, [[path, deep]]).length > 0, path);
    const mask = maskOf(gadget, { spec: { extra: null, inner: { deep: null } } });
    assert.equal(driftsAfter(gadget, mask, [['spec.extra', deep]]).length, 1);
    assert.equal(driftsAfter(gadget, mask, [['spec.inner', { deep }]]).length, 1);
  });

test('two values that are nested 20,000 deep are compared', () => {
  const manifest = manifestOf({ ...gadget.object, spec: { whole: { a: 'b' } } });
  const topology = structureFor(manifest.apiVersion, manifest.identity.kind);
  const of = (value: unknown) => project(edited(manifest.object, ['spec.whole', value]), manifest, leaf, topology);
  assert.deepEqual(compare(of(nested(20_000, false)), of(nested(20_000, false))), []);
  assert.equal(compare(of(nested(20_000, false)), of(nested(20_001, false))).length, 1);
});

test('a list with 300,000 added elements is compared, and each of them is reported', () => {
  const parts = Array.from({ length: 300_000 }, (_, index) => ({ name: `p${index}` }));
  assert.equal(driftsAfter(gadget, leaf, [['spec.parts', [{ name: 'a' }, ...parts]]]).length, parts.length);
  const plain = driftsAfter(gadget, leaf, [['spec.plain', parts]]);
  assert.deepEqual(
    plain.map(({ path, type }) => [path, type]),
    [['.spec.plain', 'changed']],
  );
});

test('a ConfigMap of 2 MB in 20,000 keys with dots is compared', () => {
  const data = Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`a.b.${index}.c`, 'x'.repeat(90)]));
  const manifest = manifestOf({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'c' }, data });
  assert.equal(driftsAfter(manifest, leaf, [['data', {}]]).length, 20_000);
});

test('20,000 maps with keys that look like paths are distinguished', () => {
  const open = Object.fromEntries(
    Array.from({ length: 20_000 }, (_, index) => [`m${index % 10}${'.a'.repeat(index % 50)}.${index}`, { v: 1 }]),
  );
  const manifest = manifestOf({ ...gadget.object, spec: { open } });
  assert.equal(driftsAfter(manifest, leaf, [['spec.open', {}]]).length, 20_000);
});

for (const [name, value] of Object.entries({
  text: 'x',
  number: 1,
  null: null,
  list: [],
  'a list of null': [null],
  map: {},
}))
  test(`metadata, labels or spec of a live object that is ${name} is drift where it is observed, and nothing throws`, () => {
    const labelled = edited(nginxService.object, ['metadata.labels.tier', 'front']);
    const manifest = manifestOf(labelled);
    for (const path of ['metadata', 'metadata.labels', 'spec', 'spec.selector', 'spec.ports'])
      assert.ok(driftsAfter(manifest, leaf, [[path, value]]).length > 0, path);
  });

test('an empty object lacks everything, whatever the manifest contains', () => {
  const topology = structureFor('v1', 'Service');
  const none = project({}, nginxService, leaf, topology);
  assert.deepEqual([...none.fields], []);
  const empty = manifestOf({ apiVersion: 'v1', kind: 'Service', metadata: { name: 'nginx' } });
  assert.deepEqual(split(empty, leaf, topology).observed, empty.object);
  assert.deepEqual(objectOf(split(empty, leaf, topology).whole['metadata']), { name: 'nginx', namespace: 'shop' });
});

test('the stored form of a deeply nested value can be written as JSON, and differs for another value', () => {
  const manifest = manifestOf({ ...gadget.object, spec: { whole: { a: 'b' }, tags: ['a'], parts: [{ name: 'a' }] } });
  const drifts = (levels: number) =>
    driftsAfter(manifest, leaf, [
      ['spec.whole', nested(levels, false)],
      ['spec.tags.+', nested(levels, true)],
      ['spec.parts.+', { name: nested(levels, false) }],
    ]);
  const depthOf = (text: string) => text.split(/[[{]/).length;
  for (const { found, path } of drifts(10_000)) {
    assert.ok(depthOf(JSON.stringify(found)) < 10, path);
    assert.ok(path.length < 300, path);
  }
  assert.equal(drifts(10_000).length, 3);
  assert.notDeepEqual(drifts(10_000), drifts(10_001));
  assert.deepEqual(drifts(10_000), drifts(10_000));
});
