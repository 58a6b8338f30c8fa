import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { arrayOf, objectOf } from '@weeder/kube-runtime/base';
import { eventually } from '../../support/eventually.ts';
import { customKind } from '../../support/observer/customKind.ts';
import { at, conditionsIn } from '../../support/observer/observedObjects.ts';
import { setObserverScene } from '../../support/observer/observerScene.ts';

suite('a version of a kind that is no longer served, on a real API server', { concurrency: true }, () => {
  test('is named at once, with the versions that are served, and the application recovers with one of them', async (t) => {
    const scene = await setObserverScene(t, 'versions');
    const kind = customKind(scene.ns);
    await kind.define({ a: { type: 'string' } });
    await scene.start(t);
    const object = kind.object('ours', { a: '1' });
    await scene.apply('shop', { manifests: [object] });
    await scene.untilInSync('shop');
    const group = `${scene.ns.name}.example.org`;
    const path = `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/widgets.${group}`;
    const [first] = arrayOf(at(await scene.ns.cluster.api('GET', path), 'spec', 'versions')).map(objectOf);
    const versions = [
      { ...first, served: false },
      { ...first, name: 'v2', storage: false },
    ];
    await scene.ns.cluster.api('PATCH', path, { spec: { versions } });
    const expected = `The cluster has no Widget in ${group}/v1. It serves Widget in ${group}/v2`;
    await eventually(
      async (saw) => {
        const { Degraded, Ready } = conditionsIn(await scene.application('shop'));
        saw([Degraded, Ready]);
        for (const each of [Degraded, Ready]) assert.doesNotMatch(String(each?.['message']), /Kubernetes API server\?/);
        return [Degraded, Ready].every((each) => String(each?.['message']).includes(expected));
      },
      { what: 'the served versions' },
    );
    await scene.apply('shop', { manifests: [{ ...object, apiVersion: `${group}/v2` }] });
    await scene.untilInSync('shop');
  });
});
