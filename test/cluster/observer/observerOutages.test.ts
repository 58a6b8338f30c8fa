import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { arrayOf } from '@weeder/kube-runtime/base';
import { eventually } from '../support/eventually.ts';
import { contest } from '../support/observer/contest.ts';
import { at, configMap, isThere, pathOf, read, untilAbsent, untilObject } from '../support/observer/observedObjects.ts';
import { edit, setObserverScene } from '../support/observer/observerScene.ts';
import { suiteControlPlane } from '../support/plane/ownControlPlane.ts';
import { gate, startRequestProxy } from '../support/plane/requestProxy.ts';
import { elected, expiring } from '../support/replicas.ts';

const dataOf = (object: unknown) => at(object, 'data', 'a');
const applications = 'apis/weeder.dev/v1alpha1';

suite('events during a drift of an application, on a real API server', { concurrency: 1 }, () => {
  const plane = suiteControlPlane();

  test('the API server stops during a drift: the drift is corrected when it is back', async (t) => {
    const scene = await setObserverScene(t, 'outage', plane());
    const { ns } = scene;
    const weeder = await scene.start(t);
    await scene.apply('shop', { manifests: [configMap('settings', { a: '1' })] });
    await scene.untilInSync('shop');
    await contest(scene, weeder, 'settings');
    await plane().killApiServer();
    await weeder.log.until('stream lost');
    await plane().startApiServer();
    await untilObject(ns, 'ConfigMap', 'settings', 'the correction', (object) => dataOf(object) === '1');
    await scene.untilInSync('shop');
  });

  test('the API server stops before a change is observed: the change is corrected when it is back', async (t) => {
    const scene = await setObserverScene(t, 'outage', plane());
    const { ns } = scene;
    const weeder = await scene.start(t);
    await scene.apply('shop', { manifests: [configMap('settings', { a: '1' })] });
    await scene.untilInSync('shop');
    weeder.signal('SIGSTOP');
    await edit(ns, pathOf(ns, 'ConfigMap', 'settings'), { data: { a: 'theirs' } });
    await plane().killApiServer();
    weeder.signal('SIGCONT');
    await plane().startApiServer();
    await untilObject(ns, 'ConfigMap', 'settings', 'the correction', (object) => dataOf(object) === '1');
  });

  test('an update of an application that is drifted is applied at once, and ends the drift', async (t) => {
    const scene = await setObserverScene(t, 'outage', plane());
    const { ns } = scene;
    const weeder = await scene.start(t);
    await scene.apply('shop', { manifests: [configMap('settings', { a: '1', b: '1' })] });
    await scene.untilInSync('shop');
    await contest(scene, weeder, 'settings');
    await scene.apply('shop', { manifests: [configMap('settings', { a: '2' })] });
    await scene.untilInSync('shop');
    assert.deepEqual((await read(ns, 'ConfigMap', 'settings'))['data'], { a: '2' });
  });

  test('a deletion of an application that is drifted deletes its resources, and none is created again', async (t) => {
    const scene = await setObserverScene(t, 'outage', plane());
    const { ns } = scene;
    const weeder = await scene.start(t);
    await scene.apply('shop', { manifests: [configMap('settings', { a: '1' })] });
    await scene.untilInSync('shop');
    await contest(scene, weeder, 'settings');
    const corrected = weeder.log.find('resource corrected').length;
    await scene.watch('api/v1', 'configmaps');
    const path = ns.path(applications, 'applications', 'shop');
    await ns.cluster.api('DELETE', path);
    await untilAbsent(ns.cluster, path, 'its end');
    assert.equal(await isThere(ns, 'ConfigMap', 'settings'), false);
    await weeder.log.until('application deleted');
    const changes = () => scene.changes.filter(({ name }) => name === 'settings').map(({ type }) => type);
    await eventually(() => changes().at(-1) === 'DELETED', { what: 'the deletion on the watch' });
    assert.deepEqual(changes(), ['ADDED', 'DELETED'], 'nothing was written after the contested edit');
    assert.equal(weeder.log.find('resource corrected').length, corrected);
  });

  test('a weeder that is killed in the middle of its first apply is followed by one that completes it', async (t) => {
    const scene = await setObserverScene(t, 'outage', plane());
    const { ns } = scene;
    const many = Array.from({ length: 60 }, (_, number) => configMap(`part-${number}`, { a: '1' }));
    const parts = async () =>
      arrayOf(at(await ns.cluster.api('GET', ns.path('api/v1', 'configmaps')), 'items')).filter((each) =>
        String(at(each, 'metadata', 'name')).startsWith('part-'),
      ).length;
    // Only the first ten applies of the first one arrive.
    let sent = 0;
    const later = gate(({ method, path }) => {
      if (method === 'PATCH' && /\/configmaps\/part-\d+\?(?!.*dryRun)/.test(path)) sent += 1;
      return sent > 10;
    });
    const { kubeconfig } = await startRequestProxy(t, plane(), later.onRequest);
    const first = await scene.start(t, { kubeconfig, expects: { exit: true } });
    await scene.apply('shop', { manifests: many });
    await eventually(async () => later.waiting > 0 && (await parts()) > 0, { what: 'the first of them' });
    await first.kill();
    assert.ok((await parts()) < many.length);
    await scene.start(t);
    await scene.untilInSync('shop');
    assert.equal(await parts(), many.length);
    // What the first one applied has an owner that deletes it.
    await ns.cluster.api('DELETE', ns.path(applications, 'applications', 'shop'));
    await eventually(async () => !(await isThere(ns, 'ConfigMap', 'part-0')), { what: 'the end of all' });
  });

  test('a change made while no weeder runs does not become the desired state, also if the dry run cannot use another name', async (t) => {
    const scene = await setObserverScene(t, 'outage', plane());
    const { ns } = scene;
    const kind = { apiVersion: 'v1', kind: 'Service', metadata: { name: 'web' } };
    // A dry run under another name cannot have the same node port: it uses the name of the Service itself.
    const port = { port: 80, targetPort: 80, nodePort: 30_123 };
    const spec = { type: 'NodePort', selector: { app: 'web' }, ports: [port] };
    const entry = { ...kind, spec: { externalIPs: 'observed', externalTrafficPolicy: 'observed' } };
    const first = await scene.start(t);
    await scene.apply('shop', { manifests: [{ ...kind, spec }], observerSchema: [entry] });
    await scene.untilInSync('shop');
    assert.equal(at(await read(ns, 'Service', 'web'), 'spec', 'externalTrafficPolicy'), 'Cluster');
    await first.stop();
    await edit(ns, pathOf(ns, 'Service', 'web'), {
      spec: { externalIPs: ['192.0.2.7'], externalTrafficPolicy: 'Local' },
    });
    await scene.start(t);
    await untilObject(
      ns,
      'Service',
      'web',
      'both as they were',
      (object) =>
        at(object, 'spec', 'externalIPs') === undefined && at(object, 'spec', 'externalTrafficPolicy') === 'Cluster',
    );
    await scene.untilInSync('shop');
  });

  test('of two replicas only the leader corrects, and the other one continues where it ended', async (t) => {
    const scene = await setObserverScene(t, 'outage', plane());
    const { ns } = scene;
    const flags = [...elected(ns.name), ...expiring];
    const one = await scene.start(t, { flags, expects: { exit: true } });
    await scene.apply('shop', { manifests: [configMap('settings', { a: '1' })] });
    await scene.untilInSync('shop');
    const other = scene.start(t, { flags });
    await one.kill();
    await edit(ns, pathOf(ns, 'ConfigMap', 'settings'), { data: { a: 'theirs' } });
    await untilObject(ns, 'ConfigMap', 'settings', 'the correction by the other', (object) => dataOf(object) === '1');
    const next = await other;
    assert.deepEqual(next.log.find('resource applied'), []);
  });
});
