import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readManifests } from '../../src/suggest/manifests.ts';

function messageOf(text: string): string {
  const read = readManifests(text, 'app.yaml', 'shop');
  return read.ok ? `${read.value.length} objects` : read.error.message;
}

test('documents, lists and JSON are read, and objects without a namespace get the default one', () => {
  const read = readManifests('{kind: A, metadata: {name: a}}\n---\n{kind: B, metadata: {namespace: b}}', 'f', 'shop');
  assert.deepEqual(read, {
    ok: true,
    value: [
      { kind: 'A', metadata: { namespace: 'shop', name: 'a' } },
      { kind: 'B', metadata: { namespace: 'b' } },
    ],
  });
  assert.equal(messageOf('{"kind": "List", "items": [{"kind": "A"}, {"kind": "B"}]}'), '2 objects');
  assert.equal(messageOf('kind: ConfigMap\nitems: [a]\n'), '1 objects');
  assert.equal(messageOf(''), '0 objects');
  assert.equal(messageOf('kind: A\ndata: {"1": x, 80: y}'), '1 objects');
});

test('text that is not a manifest is refused with its place', () => {
  assert.match(messageOf('kind: A\n---\n- a\n'), /^app\.yaml:3:1: found no object, expected a manifest\.$/);
  assert.match(messageOf('kind: [A'), /^app\.yaml:1:\d+: not valid YAML: [^\n]+\.$/);
  assert.match(messageOf('{{ .Values.x }}: 1'), /^app\.yaml:1:\d+: [^\n]+ template that was not rendered\?\.$/);
  assert.match(
    messageOf('kind: Service\nmetadata: {name: {{ x }}}'),
    /^app\.yaml:2:\d+ metadata\.name: [^\n]+ template /,
  );
  assert.equal(messageOf('kind: CustomResourceDefinition\nproperties: {on: {}, y: {}}'), '1 objects');
});
