import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readManifests, unsearched } from '../../src/suggest/manifests.ts';

function messageOf(text: string): string {
  const read = readManifests(text, 'app.yaml', 'shop');
  return [`${read.objects.length} objects`, ...read.errors, ...read.remarks].join('\n');
}

test('documents, lists and JSON are read, and objects without a namespace get the default one', () => {
  const read = readManifests('{kind: A, metadata: {name: a}}\n---\n{kind: B, metadata: {namespace: b}}', 'f', 'shop');
  assert.deepEqual(read, {
    objects: [
      { kind: 'A', metadata: { namespace: 'shop', name: 'a' } },
      { kind: 'B', metadata: { namespace: 'b' } },
    ],
    errors: [],
    remarks: [],
  });
  assert.equal(messageOf('{"kind": "List", "items": [{"kind": "A"}, {"kind": "B"}]}'), '2 objects');
  assert.equal(messageOf('kind: ConfigMap\nitems: [a]\n'), '1 objects');
  assert.equal(messageOf(''), '0 objects');
  assert.equal(messageOf('kind: A\ndata: {"1": x, 80: y}'), '1 objects');
});

test('text that is not a manifest is refused with its place', () => {
  assert.match(messageOf('kind: A\n---\n- a\n'), /^1 objects\napp\.yaml:3:1: found no object, expected a manifest\.$/);
  assert.match(messageOf('kind: [A'), /^0 objects\napp\.yaml:1:\d+: not valid YAML: [^\n]+\.$/);
  assert.match(
    messageOf('{{ .Values.x }}: 1'),
    /^0 objects\napp\.yaml:1:\d+: [^\n]+ template that was not rendered\?\.$/,
  );
  assert.match(
    messageOf('kind: Service\nmetadata: {name: {{ x }}}'),
    /^0 objects\napp\.yaml:2:\d+ metadata\.name: [^\n]+ template /,
  );
  assert.equal(messageOf('kind: CustomResourceDefinition\nproperties: {on: {}, y: {}}'), '1 objects');
});

test('of a key that is written twice the last value counts, with a remark', () => {
  const text = 'kind: A\n---\nkind: ConfigMap\nmetadata: {name: a}\ndata:\n  x: one\n  x: two\n';
  const read = readManifests(text, 'app.yaml', 'shop');
  assert.deepEqual(
    read.objects.map(({ data }) => data),
    [undefined, { x: 'two' }],
  );
  assert.deepEqual(read.errors, []);
  assert.deepEqual(read.remarks, [
    'app.yaml:7:3 data.x: written twice: first on line 6, again on line 7; the last value counts.',
  ]);
});

test('a document that is not valid YAML is left out with its place, and the others are read', () => {
  const text = 'kind: A\n---\nkind: [B\n--- # next\nkind: ConfigMap\nkind: ConfigMap\n---\n- a\n';
  const read = readManifests(text, 'app.yaml', 'shop');
  assert.deepEqual(
    read.objects.map(({ kind }) => kind),
    ['A', 'ConfigMap'],
  );
  assert.match(read.errors[0] ?? '', /^app\.yaml:[34]:\d+: not valid YAML: /);
  assert.deepEqual(read.errors.slice(1), ['app.yaml:8:1: found no object, expected a manifest.']);
  assert.match(read.remarks[0] ?? '', /^app\.yaml:6:1 kind: written twice: first on line 5, again on line 6;/);
});

test('objects of kinds that are not searched are counted, and Secrets are searched if this is asked for', () => {
  const objects = ['Service', 'Pod', 'ReplicaSet', 'Secret', 'Kafka', 'Kafka', undefined].map((kind) => ({ kind }));
  assert.deepEqual(
    [...unsearched(objects, ['ConfigMap'])],
    [
      ['Secret', 1],
      ['Kafka', 2],
      ['no kind', 1],
    ],
  );
  assert.equal(unsearched(objects, ['ConfigMap', 'Secret']).has('Secret'), false);
});
