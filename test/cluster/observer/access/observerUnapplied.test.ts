import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import { ownerOf } from '../../../../src/observer/objects/fieldManagers.ts';
import { eventually } from '../../support/eventually.ts';
import { applying, bad, good } from '../../support/observer/applying.ts';
import {
  at,
  configMap,
  deployment,
  isThere,
  pathOf,
  read,
  rowOf,
  untilAbsent,
} from '../../support/observer/observedObjects.ts';
import { edit, makeAccount, type ObserverScene, setObserverScene } from '../../support/observer/observerScene.ts';

/** Manifests that are refused, and how the API server refuses them. */
const refusals: readonly (readonly [string, JsonObject, string | undefined])[] = [
  ['500', { imagee: 'typo' }, undefined],
  ['422', { image: '' }, undefined],
  ['403', {}, 'poor'],
];

const uidOf = (object: unknown) => at(object, 'metadata', 'uid');
const versionOf = (object: unknown) => at(object, 'metadata', 'resourceVersion');

async function endOf({ ns }: ObserverScene, name: string): Promise<void> {
  const path = ns.path('apis/weeder.dev/v1alpha1', 'applications', name);
  await ns.cluster.api('DELETE', path);
  await untilAbsent(ns.cluster, path, `the end of ${name}`);
}

/** Another client's object, as it is at this moment. */
async function made({ ns }: ObserverScene, kind: 'Deployment' | 'ConfigMap', object: JsonObject): Promise<JsonObject> {
  const collection = pathOf(ns, kind, '').replace(/\/$/, '');
  return objectOf(await ns.cluster.api('POST', collection, object));
}

async function untilDegraded(scene: ObserverScene, name: string): Promise<void> {
  await eventually(async () => (await scene.condition(name, 'Degraded')) === 'True', { what: 'the refusal' });
}

suite('what an application has not applied is not changed or deleted, on a real API server', { concurrency: 2 }, () => {
  for (const [status, container, account] of refusals) {
    test(`a running Deployment outlives an application whose manifest of it is refused with ${status}`, async (t) => {
      const scene = await setObserverScene(t, 'unapplied');
      const { ns } = scene;
      await makeAccount(ns, 'poor');
      const before = await made(scene, 'Deployment', deployment('web'));
      const weeder = await scene.start(t);
      const spec = { manifests: [deployment('web', container)] };
      await scene.apply('shop', account === undefined ? spec : { ...spec, serviceAccountName: account });
      await untilDegraded(scene, 'shop');
      await endOf(scene, 'shop');
      assert.equal(uidOf(await read(ns, 'Deployment', 'web')), uidOf(before));
      const skipped = await weeder.log.until('deletion skipped', { resource: `Deployment ${ns.name}/web` });
      assert.match(String(skipped['reason']), /not applied/);
    });
  }

  test('a resource that mode detect only listed is not deleted when it leaves the manifests and correct is set in one apply', async (t) => {
    const scene = await setObserverScene(t, 'unapplied');
    const { ns } = scene;
    const names = ['one', 'two', 'three'];
    const before = await Promise.all(names.map((name) => made(scene, 'ConfigMap', configMap(name, { a: '1' }))));
    await scene.start(t);
    const manifests = names.map((name) => configMap(name, { a: '1' }));
    await scene.apply('shop', { manifests, mode: 'detect' });
    await eventually(async () => (await scene.condition('shop', 'InSync')) === 'True', { what: 'the comparison' });
    await scene.apply('shop', { manifests: manifests.slice(0, 1), mode: 'correct' });
    await scene.untilInSync('shop');
    await eventually(async () => (await rowOf(scene, 'shop', 'ConfigMap', 'two')) === undefined, { what: 'its row' });
    for (const [index, name] of names.entries())
      assert.equal(uidOf(await read(ns, 'ConfigMap', name)), uidOf(before[index]), name);
    // The applied object is recorded as applied, and is deleted.
    await endOf(scene, 'shop');
    assert.deepEqual(await Promise.all(names.map((name) => isThere(ns, 'ConfigMap', name))), [false, true, true]);
  });

  test('an object that replaced an applied one under detect outlives the application', async (t) => {
    const scene = await setObserverScene(t, 'unapplied');
    const { ns } = scene;
    await scene.start(t);
    const manifests = [configMap('settings', { a: '1' }), configMap('applied', { a: '1' })];
    await scene.apply('shop', { manifests });
    await scene.untilInSync('shop');
    await edit(ns, ns.path('apis/weeder.dev/v1alpha1', 'applications', 'shop'), { spec: { mode: 'detect' } });
    await eventually(async () => (await scene.condition('shop', 'Applied')) === 'False', { what: 'mode detect' });
    const { labels } = objectOf((await read(ns, 'ConfigMap', 'settings'))['metadata']);
    await ns.cluster.api('DELETE', pathOf(ns, 'ConfigMap', 'settings'));
    // As `kubectl replace --force` does it, with the earlier label.
    const theirs = await made(
      scene,
      'ConfigMap',
      configMap('settings', { a: '1' }, { metadata: { name: 'settings', labels } }),
    );
    await endOf(scene, 'shop');
    assert.equal(uidOf(await read(ns, 'ConfigMap', 'settings')), uidOf(theirs));
    assert.equal(await isThere(ns, 'ConfigMap', 'applied'), false, 'an applied object is deleted in either mode');
  });

  test('an object that replaced an applied one under correct is applied, and deleted with the application', async (t) => {
    const scene = await setObserverScene(t, 'unapplied');
    const { ns } = scene;
    await scene.start(t);
    await scene.apply('shop', { manifests: [configMap('settings', { a: '1' })] });
    await scene.untilInSync('shop');
    const weeder = await eventually(async () => rowOf(scene, 'shop', 'ConfigMap', 'settings'), { what: 'its row' });
    const { labels } = objectOf((await read(ns, 'ConfigMap', 'settings'))['metadata']);
    assert.equal(weeder['appliedUid'], uidOf(await read(ns, 'ConfigMap', 'settings')));
    await ns.cluster.api('DELETE', pathOf(ns, 'ConfigMap', 'settings'));
    const same = configMap('settings', { a: '1' }, { metadata: { name: 'settings', labels } });
    await ns.cluster.send('POST', pathOf(ns, 'ConfigMap', '').replace(/\/$/, ''), { body: same });
    const uid = uidOf(await read(ns, 'ConfigMap', 'settings'));
    await eventually(
      async (saw) => {
        const row = await rowOf(scene, 'shop', 'ConfigMap', 'settings');
        saw(row);
        return (
          row?.['appliedUid'] === uidOf(await read(ns, 'ConfigMap', 'settings')) && row?.['appliedUid'] !== undefined
        );
      },
      { what: `an apply to the object that is there now, first ${uid}` },
    );
    await endOf(scene, 'shop');
    assert.equal(await isThere(ns, 'ConfigMap', 'settings'), false);
  });

  test('with orphan nothing is written to an object that was never applied, and an applied one is released', async (t) => {
    const scene = await setObserverScene(t, 'unapplied');
    const { ns } = scene;
    const before = await made(scene, 'Deployment', deployment('web'));
    await scene.start(t);
    const manifests = [deployment('web', { imagee: 'typo' }), configMap('settings', { a: '1' })];
    await scene.apply('shop', { manifests, deletionPolicy: 'orphan' });
    await eventually(() => isThere(ns, 'ConfigMap', 'settings'), { what: 'the object that is applied' });
    await untilDegraded(scene, 'shop');
    await endOf(scene, 'shop');
    assert.equal(uidOf(await read(ns, 'Deployment', 'web')), uidOf(before));
    assert.equal(at(await read(ns, 'Deployment', 'web'), 'metadata', 'labels', 'weeder.dev/application'), undefined);
    assert.equal(at(await read(ns, 'ConfigMap', 'settings'), 'metadata', 'labels'), undefined);
  });

  test('a status row written by a tenant does not delete an object that the application has not applied', async (t) => {
    const scene = await setObserverScene(t, 'unapplied');
    const { ns } = scene;
    const theirs = await made(scene, 'ConfigMap', configMap('theirs', { a: '1' }));
    const weeder = await scene.start(t);
    await scene.apply('shop', { manifests: [configMap('own', { a: '1' })] });
    await scene.untilInSync('shop');
    await weeder.stop();
    const row = { apiVersion: 'v1', kind: 'ConfigMap', namespace: ns.name, name: 'theirs', state: 'InSync', hash: 'x' };
    const path = `${ns.path('apis/weeder.dev/v1alpha1', 'applications', 'shop')}/status`;
    const rows = objectOf((await scene.application('shop'))['status'])['resources'];
    const forged = { ...row, uid: uidOf(theirs), appliedUid: uidOf(theirs) };
    const answer = await edit(ns, path, { status: { resources: [...(rows as readonly unknown[]), forged] } });
    assert.equal(answer.status, 200);
    await scene.start(t);
    await eventually(async () => (await rowOf(scene, 'shop', 'ConfigMap', 'theirs')) === undefined, {
      what: 'its row',
    });
    assert.equal(versionOf(await read(ns, 'ConfigMap', 'theirs')), versionOf(theirs));
  });

  test('recreate deletes no object that replaced the applied one', async (t) => {
    const scene = await setObserverScene(t, 'unapplied');
    const { ns } = scene;
    await scene.start(t);
    await scene.apply('shop', { manifests: [deployment('web')], recreate: ['Deployment/web'] });
    await scene.untilInSync('shop');
    const path = pathOf(ns, 'Deployment', 'web');
    // The other client creates its object right after the deletion, before weeder can recreate its own.
    const other = objectOf(JSON.parse(JSON.stringify(deployment('web')).replaceAll('"app":"shop"', '"app":"theirs"')));
    const theirs = await eventually(
      async () => {
        await ns.cluster.send('DELETE', path);
        const answer = await ns.cluster.send('POST', path.replace(/\/web$/, ''), { body: other });
        return answer.status === 201 ? objectOf(answer.body) : undefined;
      },
      { what: 'their Deployment' },
    );
    await untilDegraded(scene, 'shop');
    assert.equal(uidOf(await read(ns, 'Deployment', 'web')), uidOf(theirs));
    await endOf(scene, 'shop');
    assert.equal(uidOf(await read(ns, 'Deployment', 'web')), uidOf(theirs));
  });
});

suite('the preconditions of a deletion', { concurrency: 2 }, () => {
  test('without an answer to the apply, an object that only the application has written is deleted, and an earlier one is not', async (t) => {
    const { ns, api, owner, plan, signal, live } = await applying(t, 'unapplied');
    const own = await plan(configMap('own', { a: '1' }));
    good(await api.create(own, signal));
    await ns.cluster.api('POST', ns.path('api/v1', 'configmaps'), configMap('taken', { b: '2' }));
    const taken = await plan(configMap('taken', { a: '1' }));
    good(await api.create(taken, signal));
    assert.equal(bad(await api.delete(taken.target, owner, undefined, signal)).type, 'otherUid');
    assert.equal(bad(await api.release(taken.target, owner, undefined, signal)).type, 'otherUid');
    assert.ok(uidOf(await live(taken)));
    good(await api.delete(own.target, owner, undefined, signal));
    assert.equal((await ns.cluster.send('GET', own.target.path)).status, 404);
    // With the answer the object belongs to the application.
    good(await api.delete(taken.target, owner, String(uidOf(await live(taken))), signal));
    assert.equal((await ns.cluster.send('GET', taken.target.path)).status, 404);
  });

  test('neither the uid alone nor the label alone permits a deletion, nor do both on an object of another application', async (t) => {
    const { ns, api, owner, plan, signal } = await applying(t, 'unapplied');
    const cases = [
      ['bare', {}],
      ['labelled', { 'weeder.dev/application': owner.label }],
      ['others', { 'weeder.dev/application': ownerOf({ namespace: ns.name, name: 'other' }).label }],
    ] as const;
    for (const [name, labels] of cases) {
      const object = await ns.cluster.api('POST', ns.path('api/v1', 'configmaps'), {
        metadata: { name, labels },
        data: { a: '1' },
      });
      const { target } = await plan(configMap(name, { a: '1' }));
      const uid = name === 'labelled' ? 'another-uid' : String(uidOf(object));
      assert.ok(['otherUid', 'claimed'].includes(bad(await api.delete(target, owner, uid, signal)).type), name);
      assert.ok(['otherUid', 'claimed'].includes(bad(await api.release(target, owner, uid, signal)).type), name);
      assert.equal(versionOf(await ns.cluster.api('GET', target.path)), versionOf(object), name);
    }
  });
});
