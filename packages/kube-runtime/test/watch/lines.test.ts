import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import fc from 'fast-check';
import { lineSplitter } from '../../src/watch/lines.ts';
import { readLineMetadata } from '../../src/watch/metadataFastPath.ts';

test('lines are delivered whole, whatever the chunks', () => {
  const line = fc.string({ unit: 'grapheme', maxLength: 40 }).map((text) => text.replaceAll('\n', ' '));
  fc.assert(
    fc.property(
      fc.array(line, { maxLength: 20 }),
      line,
      fc.array(fc.nat(2_000), { maxLength: 30 }),
      (lines, rest, cuts) => {
        const bytes = Buffer.from(lines.map((each) => `${each}\n`).join('') + rest);
        const splitter = lineSplitter(10_000);
        const seen: string[] = [];
        const edges = [0, ...cuts.map((at) => Math.min(at, bytes.length)).sort((a, b) => a - b), bytes.length];
        for (let i = 1; i < edges.length; i += 1) {
          splitter.push(bytes.subarray(edges[i - 1], edges[i]), (each) => seen.push(each.toString()) > 0);
        }
        assert.deepEqual(
          seen,
          lines.filter((each) => each !== ''),
        );
        assert.equal(splitter.pending, Buffer.byteLength(rest));
      },
    ),
  );
});

test('a line that is too long is refused while it grows, and reading stops on request', () => {
  const splitter = lineSplitter(100);
  assert.equal(
    splitter.push(Buffer.alloc(60, 'a'), () => true),
    'more',
  );
  assert.equal(
    splitter.push(Buffer.alloc(60, 'a'), () => true),
    'tooLong',
  );
  assert.equal(
    lineSplitter(100).push(Buffer.from(`${'a'.repeat(101)}\n`), () => true),
    'tooLong',
  );
  const seen: string[] = [];
  const state = lineSplitter(100).push(Buffer.from('a\nb\nc\n'), (line) => seen.push(line.toString()) < 2);
  assert.deepEqual([state, seen], ['stopped', ['a', 'b']]);
});

const pod = {
  kind: 'Pod',
  apiVersion: 'v1',
  metadata: { name: 'a', generateName: 'a-', namespace: 'n', uid: 'u-1', resourceVersion: '12', labels: { uid: 'x' } },
};

function line(type: string, object: unknown): Buffer {
  return Buffer.from(JSON.stringify({ type, object }));
}

test('uid and resource version are read from the bytes of a line as kube-apiserver writes it', () => {
  assert.deepEqual(readLineMetadata(line('MODIFIED', pod)), {
    type: 'MODIFIED',
    kind: 'Pod',
    name: 'a',
    namespace: 'n',
    uid: 'u-1',
    resourceVersion: '12',
  });
  const slice = {
    kind: 'EndpointSlice',
    apiVersion: 'discovery.k8s.io/v1',
    metadata: { name: 'b', namespace: 'n', uid: 'u', resourceVersion: '1' },
  };
  assert.equal(readLineMetadata(line('DELETED', slice))?.name, 'b');
});

test('a line in any other form has to be parsed', () => {
  const { name, namespace, uid, resourceVersion } = pod.metadata;
  const others: readonly Buffer[] = [
    line('BOOKMARK', pod),
    line('ERROR', { kind: 'Status', code: 410 }),
    line('ADDED', { metadata: pod.metadata, kind: 'Pod', apiVersion: 'v1' }),
    line('ADDED', { ...pod, metadata: { name, namespace, labels: { a: 'b' }, uid, resourceVersion } }),
    line('ADDED', {
      ...pod,
      metadata: { name, namespace, annotations: { x: '","uid":"forged","resourceVersion":"9"' } },
    }),
    line('ADDED', { ...pod, metadata: { name: 'a"b', namespace, uid, resourceVersion } }),
    line('ADDED', { ...pod, metadata: { name, namespace, uid } }),
    line('ADDED', { ...pod, metadata: { name, uid, resourceVersion } }),
    Buffer.from(` ${line('ADDED', pod)}`),
    line('ADDED', pod).subarray(0, -3),
    line('ADDED', pod).subarray(0, 60),
    Buffer.from('garbage'),
    Buffer.alloc(0),
  ];
  for (const each of others) assert.equal(readLineMetadata(each), undefined, each.toString());
});

test('for any labels and annotations, the metadata read from the bytes of a line is the parsed one', () => {
  const text = fc.string({ maxLength: 30 });
  fc.assert(
    fc.property(fc.dictionary(text, text), fc.dictionary(text, text), text, (labels, annotations, name) => {
      const object = { ...pod, metadata: { ...pod.metadata, name, labels, annotations } };
      const peeked = readLineMetadata(line('ADDED', object));
      if (peeked === undefined) return;
      assert.deepEqual([peeked.uid, peeked.resourceVersion], ['u-1', '12']);
      assert.equal(Buffer.from(peeked.name, 'latin1').toString('utf8'), name);
    }),
  );
});

test('the recordings of real crash loops can be read from their bytes', () => {
  for (const file of recordings()) {
    for (const text of readFileSync(file, 'utf8').split('\n').filter(Boolean)) {
      const { type, object } = JSON.parse(text);
      // kube-apiserver writes the kind first; shortened recordings may have another order.
      const { kind, apiVersion, ...rest } = object;
      const peeked = readLineMetadata(line(type, { kind, apiVersion, ...rest }));
      assert.equal(peeked?.uid, object.metadata.uid, file.pathname);
      assert.equal(peeked?.resourceVersion, object.metadata.resourceVersion);
    }
  }
});

function recordings(): readonly URL[] {
  const folder = new URL('../../../../test/data/recorded/', import.meta.url);
  return readdirSync(folder).map((name) => new URL(name, folder));
}
