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

interface OtherNamespace {
  readonly ns: TestNamespace;
  readonly observer: PodObserver;
  /** Waits until its pod is deleted. */
  untilDeleted(): Promise<unknown>;
  /** Asserts that no pod has been deleted. */
  assertUntouched(): Promise<void>;
}

/** A service in one namespace whose dependants are in all namespaces. */
const inAllNamespaces = (name: string) => ({ namespaces: [name], dependantNamespaces: 'all' });

/** Creates another namespace with a crash-looping pod that the podSelector of the scene selects. */
async function otherNamespace(t: TestContext, scene: Scene): Promise<OtherNamespace> {
  const ns = await testNamespace(t, 'other-namespace');
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
  test('services of one name in two namespaces are independent', async (t) => {
    const scene = await setScene(t, 'two');
    const other = await otherNamespace(t, scene);
    const weeder = await scene.start();
    const pod = await scene.pod('web');
    await setSlice(other.ns, scene.service, { ready: [false] });
    await scene.endpoints(false);
    await scene.endpoints(true);
    await scene.untilDeleted(pod);
    await scene.laterPodDeleted();
    await other.assertUntouched();
    await scene.down(weeder);
    const second = await scene.pod('second');
    await setSlice(other.ns, scene.service, { ready: [true] });
    await other.untilDeleted();
    await scene.laterServiceHandled();
    scene.assertDeleted(pod);
    await scene.endpoints(true);
    await scene.untilDeleted(second);
  });

  test('dependantNamespaces limits the dependants to the listed namespaces', async (t) => {
    const scene = await setScene(t, 'listed');
    const [listed, other] = [await otherNamespace(t, scene), await otherNamespace(t, scene)];
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

  test('dependantNamespaces: all selects dependants in every namespace', async (t) => {
    const scene = await setScene(t, 'all', { settings: inAllNamespaces });
    const others = [await otherNamespace(t, scene), await otherNamespace(t, scene)];
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

  test('namespaces limits a service to the listed namespaces', async (t) => {
    const scene = await setScene(t, 'limited');
    const other = await otherNamespace(t, scene);
    const service = { podSelectors: [{ matchLabels: scene.labels }], namespaces: [scene.ns.name] };
    await scene.start({ config: { servicesAndDependantSelectors: { [scene.service]: service } } });
    const pod = await scene.pod('web');
    await setSlice(other.ns, scene.service, { ready: [true] });
    await scene.endpoints(true);
    await scene.untilDeleted(pod);
    await scene.laterPodDeleted();
    await other.assertUntouched();
  });

  test('with --namespaces a Role in one namespace suffices, and no pod of another namespace is deleted', async (t) => {
    const scene = await setScene(t, 'role', { settings: inAllNamespaces });
    const other = await otherNamespace(t, scene);
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

  test('with two --namespaces pods are deleted in both, and each namespace needs its own Role', async (t) => {
    const scene = await setScene(t, 'roles');
    const [second, other] = [await otherNamespace(t, scene), await otherNamespace(t, scene)];
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
