import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { JsonObject } from '@weeder/kube-runtime/base';
import { annotationName, labelName, ownerOf } from '../../../../src/observer/objects/fieldManagers.ts';
import { eventually } from '../../support/eventually.ts';
import { applying, bad, good } from '../../support/observer/applying.ts';
import { at, configMap, pathOf, read, untilAbsent, untilObject } from '../../support/observer/observedObjects.ts';
import { edit, type ObserverScene, setObserverScene } from '../../support/observer/observerScene.ts';

const labelOf = (object: unknown) => at(object, 'metadata', 'labels', labelName);
const dataOf = (object: unknown) => at(object, 'data', 'a');

/** What another client writes to make a resource look like this application's. */
function marksOf(name: string, { ns }: ObserverScene): JsonObject {
  const owner = ownerOf({ namespace: ns.name, name });
  return { labels: { [labelName]: owner.label }, annotations: { [annotationName]: owner.name } };
}

suite('labels of applications that do not exist, on a real API server', { concurrency: 2 }, () => {
  test('the label of a non-existent application does not end the management of a resource', async (t) => {
    const scene = await setObserverScene(t, 'claims');
    const { ns } = scene;
    await scene.start(t);
    await scene.apply('shop', { manifests: [configMap('settings', { a: '1' })] });
    await scene.untilInSync('shop');
    await edit(ns, pathOf(ns, 'ConfigMap', 'settings'), { metadata: marksOf('ghost', scene), data: { a: 'theirs' } });
    const own = ownerOf({ namespace: ns.name, name: 'shop' });
    const now = await untilObject(ns, 'ConfigMap', 'settings', 'the restored label', (object) => {
      return labelOf(object) === own.label && dataOf(object) === '1';
    });
    assert.equal(at(now, 'metadata', 'annotations', annotationName), own.name);
    await scene.untilInSync('shop');
  });

  test('resources of an application that was deleted without its finalizer are taken over by the next one', async (t) => {
    const scene = await setObserverScene(t, 'claims');
    const { ns } = scene;
    const weeder = await scene.start(t);
    await scene.apply('first', { manifests: [configMap('shared', { a: 'first', b: '1' })] });
    await scene.untilInSync('first');
    await weeder.stop();
    const application = ns.path('apis/weeder.dev/v1alpha1', 'applications', 'first');
    await edit(ns, application, { metadata: { finalizers: null } });
    await ns.cluster.api('DELETE', application);
    await untilAbsent(ns.cluster, application, 'its end');
    await scene.apply('second', { manifests: [configMap('shared', { a: 'second' })] });
    await scene.start(t);
    await scene.untilInSync('second');
    const object = await read(ns, 'ConfigMap', 'shared');
    assert.deepEqual(
      [labelOf(object), dataOf(object)],
      [ownerOf({ namespace: ns.name, name: 'second' }).label, 'second'],
    );
    assert(!JSON.stringify(object).includes(ownerOf({ namespace: ns.name, name: 'first' }).label));
  });

  test('the label of an existing application is a claim, whichever client wrote it', async (t) => {
    const scene = await setObserverScene(t, 'claims');
    const { ns } = scene;
    const weeder = await scene.start(t);
    await scene.apply('other', { manifests: [configMap('other', { a: '1' })] });
    await scene.apply('shop', { manifests: [configMap('settings', { a: '1' })] });
    await scene.untilInSync('shop');
    await edit(ns, pathOf(ns, 'ConfigMap', 'settings'), { metadata: marksOf('other', scene), data: { a: 'theirs' } });
    await weeder.log.until('resource belongs to another application');
    await eventually(async () => (await scene.condition('shop', 'Degraded')) === 'True', { what: 'the condition' });
    assert.equal(dataOf(await read(ns, 'ConfigMap', 'settings')), 'theirs');
  });

  test('of two applications that remove a stale claim with the same resourceVersion, one succeeds', async (t) => {
    const { ns, api, signal, plan } = await applying(t, 'claims');
    const owners = ['one', 'two'].map((name) => ownerOf({ namespace: ns.name, name }));
    const ghost = ownerOf({ namespace: ns.name, name: 'ghost' });
    const labels = { [labelName]: ghost.label };
    await ns.cluster.api('POST', ns.path('api/v1', 'configmaps'), {
      metadata: { name: 'shared', labels },
      data: { b: '1' },
    });
    const plans = await Promise.all(owners.map((owner) => plan(configMap('shared', { a: owner.name }), { owner })));
    const [first, second] = plans;
    assert(first && second);
    const seen = good(await api.read(first.target, signal));
    assert(seen);
    const freed = await Promise.all(plans.map((each) => api.removeStaleClaim(each, seen, signal)));
    const done = freed.filter(({ ok }) => ok);
    const refused = freed.filter(({ ok }) => !ok);
    assert.deepEqual([done.length, refused.map((each) => bad(each).type)], [1, ['conflict']]);
    const applied = await Promise.all(plans.map((each) => api.create(each, signal)));
    const claimed = applied.filter(({ ok }) => !ok).map((each) => bad(each).type);
    assert.deepEqual(claimed, ['claimed']);
    const winner = owners[applied.findIndex(({ ok }) => ok)];
    assert.equal(labelOf(await read(ns, 'ConfigMap', 'shared')), winner?.label);
  });
});
