import assert from 'node:assert/strict';
import { suite, type TestContext, test } from 'node:test';
import {
  grant,
  isAllowed,
  type PodObserver,
  running,
  setSlice,
  startWeeder,
  type TestNamespace,
  testNamespace,
  watchDeletions,
} from '../support/cluster.ts';
import { type Scene, setScene } from '../support/scene.ts';

interface Elsewhere {
  readonly ns: TestNamespace;
  readonly observer: PodObserver;
  /** Waits until its pod is deleted. */
  untilDeleted(): Promise<unknown>;
  /** No pod is deleted so far. */
  assertUntouched(): Promise<void>;
}

/** Its dependants may be anywhere. */
const fromHere = (name: string) => ({ namespaces: [name], dependantNamespaces: 'all' });

/** Another namespace with a crash-looping pod that the scene's podSelector selects. */
async function elsewhere(t: TestContext, scene: Scene): Promise<Elsewhere> {
  const ns = await testNamespace(t, 'elsewhere');
  const observer = await watchDeletions(ns);
  const pod = await scene.pod('web', undefined, { ns });
  return {
    ns,
    observer,
    untilDeleted: () => observer.untilDeleted(pod.metadata.uid),
    assertUntouched: async () => {
      await observer.caughtUp();
      assert.deepEqual(observer.deletions(), []);
    },
  };
}

suite('namespaces', { concurrency: true }, () => {
  test('the same service name in two namespaces is two services', async (t) => {
    const scene = await setScene(t, 'two');
    const other = await elsewhere(t, scene);
    await scene.start();
    const pod = await scene.pod('web');
    await setSlice(other.ns, scene.service, { ready: [false] });
    await scene.endpoints(false);
    await scene.endpoints(true);
    await scene.untilDeleted(pod);
    await scene.laterPodDeleted();
    await other.assertUntouched();
    await scene.endpoints(false);
    const second = await scene.pod('second');
    await setSlice(other.ns, scene.service, { ready: [true] });
    await other.untilDeleted();
    await scene.laterServiceHandled();
    scene.assertDeleted(pod);
    await scene.endpoints(true);
    await scene.untilDeleted(second);
  });

  test('dependantNamespaces: a list names the namespaces of the dependants, and no others count', async (t) => {
    const scene = await setScene(t, 'listed');
    const [listed, other] = [await elsewhere(t, scene), await elsewhere(t, scene)];
    const selectors = { podSelectors: [{ matchLabels: scene.labels }] };
    const service = { ...selectors, namespaces: [scene.ns.name], dependantNamespaces: [listed.ns.name] };
    await scene.start({ config: { servicesAndDependantSelectors: { [scene.service]: service } } });
    await scene.pod('web');
    await scene.endpoints(true);
    await listed.untilDeleted();
    const late = await scene.pod('late', undefined, { ns: listed.ns });
    await listed.observer.untilDeleted(late.metadata.uid);
    await other.assertUntouched();
    await scene.observer.caughtUp();
    scene.assertDeleted();
  });

  test('dependantNamespaces: all', async (t) => {
    const scene = await setScene(t, 'all', { settings: fromHere });
    const others = [await elsewhere(t, scene), await elsewhere(t, scene)];
    const healthy = await testNamespace(t, 'healthy');
    const observer = await watchDeletions(healthy);
    await scene.pod('web', running(), { ns: healthy });
    await scene.start();
    const pod = await scene.pod('web');
    await scene.endpoints(true);
    await scene.untilDeleted(pod);
    await Promise.all(others.map((other) => other.untilDeleted()));
    await observer.caughtUp();
    assert.deepEqual(observer.deletions(), []);
  });

  test('namespaces: the service counts only in the namespaces of the config', async (t) => {
    const scene = await setScene(t, 'lives');
    const other = await elsewhere(t, scene);
    const service = { podSelectors: [{ matchLabels: scene.labels }], namespaces: [scene.ns.name] };
    await scene.start({ config: { servicesAndDependantSelectors: { [scene.service]: service } } });
    const pod = await scene.pod('web');
    await setSlice(other.ns, scene.service, { ready: [true] });
    await scene.endpoints(true);
    await scene.untilDeleted(pod);
    await scene.laterPodDeleted();
    await other.assertUntouched();
  });

  test('--namespaces: a Role in one namespace is enough, and no other namespace is touched', async (t) => {
    const scene = await setScene(t, 'role', { settings: fromHere });
    const other = await elsewhere(t, scene);
    const { cluster, name } = scene.ns;
    const user = cluster.takeUser();
    const rules = [
      { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch', 'get', 'delete'] },
      { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] },
    ];
    await grant(cluster, user, rules, { namespace: name });
    assert.equal(await isAllowed(cluster, user, { verb: 'list', group: '', resource: 'pods' }), false);
    const weeder = startWeeder(t, { cluster, user, config: scene.config, flags: [`--namespaces=${name}`] });
    await weeder.ready();
    const pod = await scene.pod('web');
    await scene.pod('healthy', running());
    await setSlice(other.ns, scene.service, { ready: [false] });
    await setSlice(other.ns, scene.service, { ready: [true] });
    await scene.endpoints(false);
    await scene.endpoints(true);
    await scene.untilDeleted(pod);
    await scene.laterPodDeleted();
    await other.assertUntouched();
    scene.assertDeleted(pod);
  });

  test('--namespaces with two of them: pods are deleted in both, with each namespace’s own Role', async (t) => {
    const scene = await setScene(t, 'roles');
    const [second, other] = [await elsewhere(t, scene), await elsewhere(t, scene)];
    const { cluster } = scene.ns;
    const user = cluster.takeUser();
    for (const { name } of [scene.ns, second.ns]) {
      const pods = { apiGroups: [''], resources: ['pods'], verbs: ['list', 'watch', 'get', 'delete'] };
      const slices = { apiGroups: ['discovery.k8s.io'], resources: ['endpointslices'], verbs: ['list', 'watch'] };
      await grant(cluster, user, [pods, slices], { namespace: name });
    }
    await scene.start({ user, namespaces: [scene.ns.name, second.ns.name] });
    const pod = await scene.pod('web');
    await setSlice(other.ns, scene.service, { ready: [true] });
    await setSlice(second.ns, scene.service, { ready: [true] });
    await second.untilDeleted();
    scene.assertDeleted();
    await scene.endpoints(true);
    await scene.untilDeleted(pod);
    await other.assertUntouched();
  });
});
