import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readContent } from '../../../src/restart/digest/digest.ts';
import { hashKeyOf } from '../../../src/restart/digest/hashKeys.ts';
import { answered } from '../../../src/restart/references/answer.ts';
import { type SourceRef, sourceKey } from '../../../src/restart/references/refs.ts';
import { readSourceMeta, type SourceMeta } from '../../../src/restart/references/sourceMeta.ts';
import type { Use } from '../../../src/restart/references/uses.ts';
import { createDigests } from '../../../src/restart/sources/digests.ts';
import { createSourceIndex } from '../../../src/restart/sources/sourceIndex.ts';

const key = hashKeyOf(Buffer.alloc(32, 1));
const settings: SourceRef = { kind: 'ConfigMap', namespace: 'shop', name: 'settings' };
const useOf = (source: SourceRef, name: string): Use => ({
  source,
  key: name,
  how: 'env',
  isOptional: false,
  containers: ['app'],
});

/** The current sources, and how often each was read whole. */
function cluster() {
  const objects = new Map<string, object>();
  const read: string[] = [];
  /** The sources that no stream has delivered yet. */
  const unknown = new Set<string>();
  const metaOf = (ref: SourceRef): SourceMeta | undefined => readSourceMeta(objects.get(sourceKey(ref)), ref.kind);
  const digests = createDigests({
    api: {
      async readSource(ref) {
        read.push(ref.name);
        const object = objects.get(sourceKey(ref));
        const meta = metaOf(ref);
        if (meta === undefined) return { type: 'notFound' };
        return answered({ ...meta, content: readContent(object), meta });
      },
    },
    sources: {
      get: (ref) => (unknown.has(sourceKey(ref)) ? undefined : metaOf(ref)),
      seenAt: () => undefined,
      optOut: (ref) => metaOf(ref)?.optOut ?? 'none',
    },
  });
  function put(ref: SourceRef, resourceVersion: string, data: object): void {
    const metadata = { namespace: ref.namespace, name: ref.name, uid: 'u', resourceVersion };
    objects.set(sourceKey(ref), { kind: ref.kind, metadata, data });
  }
  async function tagOf(ref: SourceRef, name: string): Promise<string> {
    const answer = await digests.digestOf(key, ref, [useOf(ref, name)]);
    return answer.type === 'ok' ? answer.digest.tag : answer.reason;
  }
  return { read, put, tagOf, unknown };
}

test('a source is read once per version, however many workloads request it at the same time', async () => {
  const { read, put, tagOf } = cluster();
  put(settings, '1', { a: '1', b: '1' });
  const tags = await Promise.all(Array.from({ length: 200 }, () => tagOf(settings, 'a')));
  assert.equal(new Set(tags).size, 1);
  await tagOf(settings, 'a');
  assert.deepEqual(read, ['settings']);
  put(settings, '2', { a: '2', b: '1' });
  assert.notEqual(await tagOf(settings, 'a'), tags[0]);
  await tagOf(settings, 'a');
  assert.deepEqual(read, ['settings', 'settings']);
});

test('only tags are cached, not content: another use of a source reads it again', async () => {
  const { read, put, tagOf } = cluster();
  put(settings, '1', { a: '1', b: '1' });
  await tagOf(settings, 'a');
  await tagOf(settings, 'b');
  assert.equal(read.length, 2);
});

for (const kind of ['ConfigMap', 'Secret'] as const)
  test(`a ${kind} that no stream has delivered is missing only if the API server does not find it`, async () => {
    const { read, put, tagOf, unknown } = cluster();
    const source: SourceRef = { kind, namespace: 'shop', name: 'late' };
    const missing = await tagOf(source, 'a');
    unknown.add(sourceKey(source));
    put(source, '1', { a: '1' });
    const tag = await tagOf(source, 'a');
    assert.notEqual(tag, missing);
    unknown.clear();
    assert.equal(await tagOf(source, 'a'), tag);
    assert.deepEqual(read, ['late', 'late', 'late']);
  });

test('after a restore the older version of a source is read, also if the version is the same', async () => {
  const changed: string[] = [];
  const index = createSourceIndex(
    { now: () => 0 },
    ({ name }) => void changed.push(name),
    (ref) => digests.forget(ref),
  );
  const sink = index.createSink('ConfigMap');
  let object = {};
  const digests = createDigests({
    api: {
      async readSource(ref) {
        const meta = readSourceMeta(object, ref.kind);
        return meta === undefined ? { type: 'notFound' } : answered({ ...meta, content: readContent(object), meta });
      },
    },
    sources: index,
  });
  async function tagAt(resourceVersion: string, a: string) {
    object = { kind: 'ConfigMap', metadata: { ...settings, uid: 'u', resourceVersion }, data: { a } };
    sink.begin();
    sink.apply('ADDED', object);
    sink.end();
    const answer = await digests.digestOf(key, settings, [useOf(settings, 'a')]);
    return answer.type === 'ok' ? answer.digest.tag : answer.reason;
  }
  const first = await tagAt('9', 'new');
  assert.equal(await tagAt('9', 'not read'), first);
  sink.rewound?.();
  const second = await tagAt('7', 'old');
  sink.rewound?.();
  const third = await tagAt('7', 'other');
  assert.equal(new Set([first, second, third]).size, 3);
  assert.equal(changed.length, 3);
});
