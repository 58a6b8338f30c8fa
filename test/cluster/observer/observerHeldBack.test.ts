import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import type { JsonObject } from '@weeder/kube-runtime/base';
import { eventually } from '../support/eventually.ts';
import {
  at,
  conditionOf,
  containersOf,
  deployment,
  pathOf,
  rowOf,
  untilObject,
} from '../support/observer/observedObjects.ts';
import { edit, setObserverScene } from '../support/observer/observerScene.ts';

const strategic = 'application/strategic-merge-patch+json';
const restarted = 'kubectl.kubernetes.io/restartedAt';
const envOf = (object: JsonObject) => at(containersOf(object)[0], 'env', 0);
const isCorrected = (object: JsonObject) =>
  at(containersOf(object)[0], 'image') === 'web:1' && at(envOf(object), 'value') === 'a';

suite('corrections that clients could hold back, on a real API server', { concurrency: 2 }, () => {
  test('another member of a union and a null hold back nothing, also after a restart of weeder', async (t) => {
    const scene = await setObserverScene(t, 'held');
    const { ns } = scene;
    const path = pathOf(ns, 'Deployment', 'web');
    const manifest = deployment();
    const { template } = manifest['spec'] as { readonly template: JsonObject };
    Object.assign(template['metadata'] as object, { annotations: null });
    Object.assign(template['spec'] as object, { nodeSelector: null });
    const weeder = await scene.start(t);
    await scene.apply('shop', { manifests: [manifest] });
    await scene.untilInSync('shop');
    const theirs = (image: string) => {
      const env = [{ name: 'MODE', value: null, valueFrom: { configMapKeyRef: { name: 'theirs', key: 'a' } } }];
      const metadata = { annotations: { [restarted]: '2026-11-26T00:00:00Z' } };
      return { spec: { template: { metadata, spec: { containers: [{ name: 'web', image, env }] } } } };
    };
    await ns.cluster.api('PATCH', path, theirs('web:2'), strategic);
    const one = await untilObject(ns, 'Deployment', 'web', 'the correction', isCorrected);
    assert.equal(at(one, 'spec', 'template', 'metadata', 'annotations', restarted), '2026-11-26T00:00:00Z');
    await weeder.stop();
    await ns.cluster.api('PATCH', path, theirs('web:3'), strategic);
    await scene.start(t);
    const two = await untilObject(ns, 'Deployment', 'web', 'the correction after the restart', isCorrected);
    assert.equal(at(two, 'spec', 'template', 'metadata', 'annotations', restarted), '2026-11-26T00:00:00Z');
    await scene.untilInSync('shop');
  });

  test('a refused field is reported, and the others of its object are corrected at once, again and again', async (t) => {
    const scene = await setObserverScene(t, 'held');
    const { ns } = scene;
    const weeder = await scene.start(t);
    const metadata = { name: 'data', labels: { tier: 'ours' } };
    const spec = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, spec };
    const classes = '/apis/storage.k8s.io/v1/storageclasses';
    const storageClass = { metadata: { name: ns.name }, provisioner: 'example.org/none', allowVolumeExpansion: true };
    await ns.cluster.api('POST', classes, storageClass);
    ns.after(() => ns.cluster.send('DELETE', `${classes}/${ns.name}`));
    await scene.apply('shop', { manifests: [{ ...claim, spec: { ...spec, storageClassName: ns.name } }] });
    await scene.untilInSync('shop');
    const path = ns.path('api/v1', 'persistentvolumeclaims', 'data');
    const bound = (storage: string) => ({ status: { phase: 'Bound', capacity: { storage } } });
    await ns.cluster.api('PATCH', path, { spec: { volumeName: 'v' } });
    await ns.cluster.api('PATCH', `${path}/status`, bound('2Gi'));
    await ns.cluster.api('PATCH', path, { spec: { resources: { requests: { storage: '2Gi' } } } });
    const isRefused = async () =>
      (await rowOf(scene, 'shop', 'PersistentVolumeClaim', 'data'))?.['state'] === 'Refused';
    await eventually(isRefused, { what: 'the row of the refused field' });
    for (const tier of ['theirs', 'again']) {
      await edit(ns, path, { metadata: { labels: { tier } } });
      await eventually(async () => at(await ns.cluster.api('GET', path), 'metadata', 'labels', 'tier') === 'ours', {
        what: `the label after ${tier}`,
      });
    }
    await eventually(isRefused, { what: 'the row of the refused field' });
    const { reason, message } = await conditionOf(scene, 'shop', 'Degraded');
    assert.equal(reason, 'Refused');
    assert.match(String(message), /spec\.resources\.requests\.storage: Forbidden: field can not be less than/);
    assert.equal(weeder.log.find('resource refused').length <= 1, true, 'it is reported once');
    assert.equal(at(await ns.cluster.api('GET', path), 'spec', 'resources', 'requests', 'storage'), '2Gi');
  });
});
