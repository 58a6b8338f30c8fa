import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { compare } from '../../src/apiserver/managedfields/compare.ts';
import { fieldSetOf, readable, separator } from '../../src/apiserver/managedfields/fieldSet.ts';
import { readManagers, writeManagers } from '../../src/apiserver/managedfields/managers.ts';
import { merge } from '../../src/apiserver/managedfields/merge.ts';
import { without } from '../../src/apiserver/managedfields/prune.ts';
import { quantity } from '../../src/apiserver/managedfields/quantity.ts';
import type { Shape } from '../../src/apiserver/managedfields/shape.ts';
import { typeErrors } from '../../src/apiserver/managedfields/typeErrors.ts';
import { shapeOf } from '../../src/apiserver/schema/types.ts';
import { arrayOf, objectOf } from '../../src/base/json.ts';

const container = shapeNamed('Container');

test('quantities are converted to their canonical form, and other text is unchanged', () => {
  const forms = [
    ['1000m', '1'],
    ['1500m', '1500m'],
    ['1024Mi', '1Gi'],
    ['0.5', '500m'],
    ['.5', '500m'],
    [0.25, '250m'],
    [2, '2'],
    ['1.5Gi', '1536Mi'],
    ['0.5Gi', '512Mi'],
    ['0.5Ki', '512'],
    ['1500M', '1500M'],
    ['1e3', '1e3'],
    ['0', '0'],
    ['0Ki', '0'],
    ['-1000m', '-1'],
    ['much', 'much'],
    ['', ''],
  ] as const;
  for (const [given, written] of forms) assert.equal(quantity(given), written, String(given));
});

test('the canonical form of a quantity is idempotent', () => {
  const suffix = fc.constantFrom('', 'm', 'k', 'M', 'G', 'Ki', 'Mi', 'Gi');
  fc.assert(
    fc.property(fc.nat(5_000_000), suffix, (number, unit) => {
      const once = quantity(`${number}${unit}`);
      assert.equal(quantity(once), once);
    }),
  );
});

test('the key of an item has its defaults filled in, with its fields sorted by name', () => {
  const value = { name: 'a', ports: [{ containerPort: 53 }, { containerPort: 53, protocol: 'UDP' }] };
  const paths = [...fieldSetOf(container, value)].map(readable);
  assert.deepEqual(paths.filter((path) => !/\]\./.test(path)).toSorted(), [
    '.name',
    '.ports[containerPort=53,protocol="TCP"]',
    '.ports[containerPort=53,protocol="UDP"]',
  ]);
});

test('of an atomic list or map, only its presence can be owned', () => {
  const value = { command: ['a'], securityContext: { capabilities: { drop: ['ALL'] } }, resources: {} };
  assert.deepEqual([...fieldSetOf(container, value)].map(readable).toSorted(), [
    '.command',
    '.resources',
    '.securityContext.capabilities.drop',
  ]);
});

/** Few names, so that the keys of two lists collide. */
const names = fc.uniqueArray(fc.constantFrom('A', 'B', 'C', 'D', 'E', 'F'), { maxLength: 6 });
const list = names.chain((keys) =>
  fc.tuple(
    ...keys.map((name) =>
      fc.record({ name: fc.constant(name), value: fc.constantFrom('1', '2') }, { noNullPrototype: true }),
    ),
  ),
);
const value = fc.record(
  { name: fc.constant('a'), env: list, command: fc.array(fc.constantFrom('x', 'y')) },
  { noNullPrototype: true },
);

test('a merge contains the whole configuration and every other item of the existing value', () => {
  fc.assert(
    fc.property(value, value, (before, config) => {
      const merged = objectOf(merge(container, before, config));
      const env = arrayOf(merged['env']).map(objectOf);
      const configured: readonly string[] = config.env.map(({ name }) => name);
      const others = before.env.filter(({ name }) => !configured.includes(name));
      assert.deepEqual(
        env.filter(({ name }) => configured.includes(String(name))),
        config.env,
      );
      assert.deepEqual(
        env.filter(({ name }) => !configured.includes(String(name))),
        others,
      );
      assert.deepEqual(merged['command'], config.command);
      assert.deepEqual(merge(container, merged, config), merged);
    }),
  );
});

test('without the fields that only one of two states has, the two have the same keys', () => {
  fc.assert(
    fc.property(value, value, (before, after) => {
      const { added, removed } = compare(container, before, after);
      const reduced = objectOf(without(container, after, added));
      const remaining = objectOf(without(container, before, removed));
      const keys = (object: object) => arrayOf(objectOf(object)['env']).map((each) => objectOf(each)['name']);
      assert.deepEqual(new Set(keys(reduced)), new Set(keys(remaining)));
    }),
  );
});

test('equal states have no differences, and comparing in reverse swaps added and removed fields', () => {
  fc.assert(
    fc.property(value, value, (before, after) => {
      const same = compare(container, before, structuredClone(before));
      assert.deepEqual([same.added.size, same.modified.size, same.removed.size], [0, 0, 0]);
      const [there, back] = [compare(container, before, after), compare(container, after, before)];
      assert.deepEqual([there.added, there.modified], [back.removed, back.modified]);
    }),
  );
});

test('managedFields are read as written, also with the fields of a key in another order', () => {
  const fields = fieldSetOf(container, { name: 'a', ports: [{ containerPort: 80 }], env: [{ name: 'A', value: '1' }] });
  const self = {
    manager: 'one',
    operation: 'Apply',
    apiVersion: 'v1',
    subresource: undefined,
    time: undefined,
  } as const;
  const written = writeManagers([{ ...self, fields }]);
  assert.deepEqual(readManagers(written), [{ ...self, fields }]);
  const swapped = { 'f:ports': { 'k:{"protocol":"TCP","containerPort":80}': { '.': {} } } };
  const [read] = readManagers([{ ...written[0], fieldsV1: swapped }]) ?? [];
  assert.deepEqual([...(read?.fields ?? [])], [`f:ports${separator}k:{"containerPort":80,"protocol":"TCP"}`]);
});

test('invalid managedFields are rejected', () => {
  const entry = {
    manager: 'x',
    operation: 'Update',
    apiVersion: 'v1',
    fieldsType: 'FieldsV1',
    fieldsV1: { 'f:a': {} },
  };
  assert.equal(readManagers([entry])?.length, 1);
  const wrong = [
    { ...entry, operation: 'Other' },
    { ...entry, fieldsType: 'FieldsV2' },
    { ...entry, apiVersion: '' },
    { ...entry, fieldsV1: { 'k:{': {} } },
    { ...entry, fieldsV1: { 'f:a': 1 } },
  ];
  for (const wrongEntry of wrong) assert.equal(readManagers([wrongEntry]), undefined, JSON.stringify(wrongEntry));
  const [newer] = readManagers([{ ...entry, fieldsV1: { 'x:a': {}, 'f:b': {} } }]) ?? [];
  assert.deepEqual([...(newer?.fields ?? [])], ['f:b']);
});

test('a value of the right types has no type errors', () => {
  fc.assert(fc.property(value, (each) => assert.deepEqual(typeErrors(container, each), [])));
  assert.deepEqual(typeErrors(container, { env: [{ value: '1' }], ports: [{ containerPort: '80' }] }), [
    '.ports[containerPort="80",protocol="TCP"].containerPort: expected numeric (int or float), got string',
  ]);
});

function shapeNamed(type: string): Shape {
  const shape = shapeOf(type);
  assert(shape !== undefined, type);
  return shape;
}
