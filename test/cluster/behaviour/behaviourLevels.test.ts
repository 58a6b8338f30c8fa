import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@weeder/kube-runtime/testing';
import {
  crashLoopBackOff,
  createReplicaSet,
  type Pod,
  podsOf,
  running,
  setPodStatus,
  setSlice,
  type TestNamespace,
  testNamespace,
  watchDeletions,
} from '../support/cluster.ts';
import { startWeederInProcess } from '../support/inProcessWeeder.ts';

/** A ReplicaSet whose pods declare these services and crash-loop. */
async function crashLooping(ns: TestNamespace, name: string, services: readonly string[]): Promise<Pod[]> {
  const annotations = { 'weeder.dev/depends-on-services': services.join(', ') };
  const pods = await createReplicaSet(ns, name, { labels: { 'weeder.dev/depends-on': '' }, annotations, replicas: 2 });
  for (const { metadata } of pods) await setPodStatus(ns, metadata.name, crashLoopBackOff(3));
  return pods;
}

/** The deleted pods of this ReplicaSet have been replaced, and the new ones run. */
async function runReplacements(ns: TestNamespace, name: string): Promise<void> {
  for (const { metadata } of await podsOf(ns, { workload: name }, 2)) await setPodStatus(ns, metadata.name, running());
}

test('a first installation of three levels settles with one deletion of each pod, level by level', async (t) => {
  const ns = await testNamespace(t, 'levels');
  const observer = await watchDeletions(ns);
  for (const service of ['db', 'api']) await setSlice(ns, service, { ready: [false] });
  const api = await crashLooping(ns, 'api', ['db']);
  const web = await crashLooping(ns, 'web', ['db', 'api']);
  const config = { declaredDependencies: { namespaces: [ns.name] } };
  const weeder = startWeederInProcess(t, { cluster: ns.cluster, config });
  await weeder.ready();

  await setSlice(ns, 'db', { ready: [true] });
  for (const { metadata } of api) await observer.untilDeleted(metadata.uid);
  const held = () => weeder.eventsOf('deletion.pending').filter(({ heldBy }) => heldBy === `${ns.name}/api`);
  await until('both pods of web are held', () => held().length === web.length);
  await runReplacements(ns, 'api');
  await observer.caughtUp();
  const uidsOf = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.uid).sort();
  const deleted = () =>
    observer
      .deletions()
      .map(({ uid }) => uid)
      .sort();
  assert.deepEqual(deleted(), uidsOf(api));

  await setSlice(ns, 'api', { ready: [true] });
  for (const { metadata } of web) await observer.untilDeleted(metadata.uid);
  await runReplacements(ns, 'web');
  await observer.caughtUp();
  assert.deepEqual(deleted(), uidsOf([...api, ...web]));
});
