import { suite, test } from 'node:test';
import { objectOf } from '@weeder/kube-runtime/base';
import { eventually } from '../../support/eventually.ts';
import { customKind } from '../../support/observer/customKind.ts';
import { conditionsIn } from '../../support/observer/observedObjects.ts';
import { makeClusterTenant, setObserverScene } from '../../support/observer/observerScene.ts';

suite('two definitions of one kind, on a real API server', { concurrency: true }, () => {
  test('are not ready until the names of both are accepted', async (t) => {
    const scene = await setObserverScene(t, 'names');
    await makeClusterTenant(scene.ns);
    const kind = customKind(scene.ns);
    const group = `${scene.ns.name}.example.org`;
    await kind.define({ a: { type: 'string' } });
    const { metadata: _, spec, ...second } = kind.definition({ a: { type: 'string' } });
    const names = { ...spec.names, plural: 'others', singular: 'other' };
    const name = `others.${group}`;
    scene.ns.after(() =>
      scene.ns.cluster.send('DELETE', `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/${name}`),
    );
    await scene.start(t);
    await scene.apply('shop', { manifests: [{ ...second, metadata: { name }, spec: { ...spec, names } }] });
    const until = (isReady: string, words: RegExp) =>
      eventually(
        async (saw) => {
          const now = conditionsIn(await scene.application('shop'));
          saw(now);
          const { Ready, Degraded } = now;
          const isStatus = objectOf(Ready)['status'] === isReady;
          return isStatus && words.test(String(objectOf(Degraded)['message']));
        },
        { what: `Ready ${isReady}` },
      );
    await until('False', /does not know the kind of: .*others.* \(NamesAccepted is False: .*Widget/);
    await kind.remove();
    await until('True', /Nothing fails/);
  });
});
