import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { objectOf } from '@weeder/kube-runtime/base';
import { hasLostKeys, readContent, tagOf } from '../../../../src/restart/digest/digest.ts';
import { readSourceMeta, type SourceMeta, withoutSecrets } from '../../../../src/restart/references/sourceMeta.ts';
import { hashKey, password, use } from '../../../support/objects/restartObjects.ts';
import { eventually } from '../../support/eventually.ts';
import { type TestNamespace, testNamespace } from '../../support/namespace.ts';

const mergePatch = 'application/merge-patch+json';
const applyPatch = 'application/apply-patch+yaml';
const base64 = (text: string) => Buffer.from(text).toString('base64');

/** Creates a Secret with one field manager. `read` returns what weeder reads of it. */
async function secretIn(ns: TestNamespace, content: object) {
  const path = ns.path('api/v1', 'secrets', 'password');
  await ns.cluster.api('POST', `${ns.path('api/v1', 'secrets')}?fieldManager=creator`, {
    metadata: { name: 'password' },
    ...content,
  });
  const read = async () => objectOf(await ns.cluster.api('GET', path));
  return {
    path,
    read,
    tag: async () => tagOf(hashKey, password, readContent(await read()), [use('envFrom')], 'none'),
    async meta(): Promise<SourceMeta> {
      const meta = readSourceMeta(await read(), 'Secret');
      assert.ok(meta);
      return meta;
    },
    write: (manager: string, body: object, type = mergePatch) =>
      ns.cluster.api('PATCH', `${path}?fieldManager=${manager}&${type === applyPatch ? 'force=true' : ''}`, body, type),
  };
}

/** Waits until a later write has a later time in managedFields, which has whole seconds. */
async function laterThan(time: number | undefined): Promise<void> {
  await eventually(() => Math.floor(Date.now() / 1000) * 1000 > (time ?? 0), { what: 'a later second' });
}

suite('ConfigMaps and Secrets as the API server serves them', { concurrency: true }, () => {
  test('the metadata of an applied Secret contains its value, and the stored part of it does not', async (t) => {
    const ns = await testNamespace(t, 'sources');
    const value = 'in-clear-text';
    const applied = { 'kubectl.kubernetes.io/last-applied-configuration': `{"stringData":{"word":"${value}"}}` };
    const metadata = { name: 'password', labels: { [value]: value }, annotations: applied };
    const { path, meta } = await secretIn(ns, { metadata, stringData: { word: value } });
    const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
    const { body } = await ns.cluster.send('GET', path, { accept });
    assert.equal(objectOf(body)['kind'], 'PartialObjectMetadata');
    assert.ok(JSON.stringify(body).includes(value));
    assert.ok(!JSON.stringify(withoutSecrets(body)).includes(value));
    assert.deepEqual(readSourceMeta(withoutSecrets(body), 'Secret'), await meta());
  });

  test('the time of the last content write changes with values of any client, and not with labels', async (t) => {
    const ns = await testNamespace(t, 'sources');
    const { meta, write } = await secretIn(ns, { stringData: { word: 'a' } });
    const writes: [string, object, string?][] = [
      ['creator', { stringData: { word: 'b' } }],
      ['other', { data: { more: base64('c') } }],
      ['applier', { apiVersion: 'v1', kind: 'Secret', stringData: { word: 'd' } }, applyPatch],
      ['freezer', { immutable: true }],
    ];
    for (const [manager, body, type] of writes) {
      const { lastDataWrite: before, createdAt } = await meta();
      // The two times are read one after the other, and may be in different seconds.
      assert.ok(before !== undefined && createdAt !== undefined && before >= createdAt - 1_000);
      await laterThan(before);
      await write('labeller', { metadata: { labels: { by: manager } } });
      assert.equal((await meta()).lastDataWrite, before);
      await write(manager, body, type);
      assert.ok(((await meta()).lastDataWrite ?? 0) > before, manager);
    }
  });

  test('the tags of the keys show that a key was removed, and no manager shows when', async (t) => {
    const ns = await testNamespace(t, 'sources');
    const { meta, tag, write } = await secretIn(ns, { stringData: { word: 'a', more: 'b', last: 'c' } });
    const [{ lastDataWrite }, first] = [await meta(), await tag()];
    await laterThan(lastDataWrite);
    for (const [manager, key] of [
      ['other', 'more'],
      ['creator', 'last'],
    ] as const) {
      const before = await tag();
      await write(manager, { data: { [key]: null } });
      assert.equal((await meta()).lastDataWrite, lastDataWrite);
      assert.equal(hasLostKeys(before, await tag()), true);
    }
    await write('creator', { data: { word: base64('d'), more: base64('b'), last: base64('c') } });
    assert.equal(hasLostKeys(first, await tag()), false);
    await write('creator', { data: null });
    assert.equal((await meta()).lastDataWrite, undefined);
  });

  test('stringData and data, and the same content recreated, have the same tag', async (t) => {
    const ns = await testNamespace(t, 'sources');
    const { path, tag, write } = await secretIn(ns, { stringData: { word: 'a' } });
    const before = await tag();
    await write('other', { data: { word: base64('b') } });
    assert.notDeepEqual(await tag(), before);
    await write('other', { stringData: { word: 'a' } });
    assert.deepEqual(await tag(), before);
    await ns.cluster.api('DELETE', path);
    await ns.cluster.api('POST', ns.path('api/v1', 'secrets'), {
      metadata: { name: 'password', labels: { type: 'new' } },
      data: { word: base64('a') },
    });
    assert.deepEqual(await tag(), before);
  });
});
