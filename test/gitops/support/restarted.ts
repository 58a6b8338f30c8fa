import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import type { WorkloadKind } from '@weeder/kube-runtime/objects';
import type { Cleanup } from '../../cluster/support/cleanup.ts';
import type { Manifest } from '../../cluster/support/deploy/kustomize.ts';
import { type TestNamespace, testNamespace } from '../../cluster/support/namespace.ts';
import { at } from '../../cluster/support/observer/observedObjects.ts';
import { crashLoopBackOff, setPodStatus } from '../../cluster/support/observer/statuses.ts';
import { jobSceneOf } from '../../cluster/support/restart/jobScene.ts';
import { type RestartScene, setRestartScene } from '../../cluster/support/restart/restartScene.ts';
import { specOf } from '../../cluster/support/restart/workloadOptions.ts';
import { onePod } from '../../cluster/support/restart/workloads.ts';
import { setSlice } from '../../cluster/support/services.ts';
import { startWeeder } from '../../cluster/support/weeder.ts';
import type { GitOpsTool } from './gitOpsTool.ts';

/** A workload as it is in Git. It uses a ConfigMap of its name, which is not in Git. */
export function workloadOf(ns: TestNamespace, kind: WorkloadKind, name: string, labels: object = {}): Manifest {
  const apiVersion = kind === 'Job' || kind === 'CronJob' ? 'batch/v1' : 'apps/v1';
  return {
    apiVersion,
    kind,
    metadata: { name, namespace: ns.name, labels },
    spec: specOf(kind, name, ns, { podAnnotations: { 'example.org/team': 'shop' } }),
  };
}

/** What weeder has written into the Deployment of this name. */
export async function marksOf({ ns }: RestartScene, name: string) {
  const object = await ns.cluster.api('GET', ns.path('apis/apps/v1', 'deployments', name));
  return {
    state: at(object, 'metadata', 'annotations', 'weeder.dev/dependencies'),
    hash: at(object, 'spec', 'template', 'metadata', 'annotations', 'weeder.dev/dependencies-hash'),
    labels: at(object, 'metadata', 'labels'),
  };
}

/** Restarts a workload that is in Git, before and after a commit that changes it. */
export async function restartBeside(t: Cleanup, { follow }: GitOpsTool, spec: JsonObject = {}): Promise<void> {
  const scene = await setRestartScene(t, 'restarted');
  const { ns } = scene;
  const followed = await follow(ns, spec);
  const compare = async () => {
    await followed.compare();
    await followed.untilApplied();
  };
  await scene.put('web', { word: 'one' });
  await followed.commit(workloadOf(ns, 'Deployment', 'web'));
  await followed.untilApplied();
  await scene.start(t);
  await scene.untilAdopted('Deployment', 'web');
  await compare();
  await scene.put('web', { word: 'two' });
  await scene.untilDone('Deployment', 'web', 1);
  const restarted = await marksOf(scene, 'web');
  assert.ok(restarted.state && restarted.hash, JSON.stringify(restarted));
  await compare();
  assert.deepEqual(await marksOf(scene, 'web'), restarted);

  const labels = { release: 'two' };
  await followed.commit(workloadOf(ns, 'Deployment', 'web', labels));
  await followed.untilApplied();
  assert.deepEqual(await marksOf(scene, 'web'), { ...restarted, labels: { ...objectOf(restarted.labels), ...labels } });
  assert.equal(await scene.rollouts('Deployment', 'web'), 1);

  await scene.put('web', { word: 'three' });
  await scene.untilDone('Deployment', 'web', 2);
  await compare();
  assert.equal(await scene.rollouts('Deployment', 'web'), 2);
}

/** Registers the tests of the weeder and of restart control beside the tool. */
export function testRestarts(tool: () => GitOpsTool): void {
  test('a restart is not a difference, and its annotations and its hash survive a commit that changes the workload', (t) =>
    restartBeside(t, tool()));

  test('a Job that weeder recreates is not a difference', async (t) => {
    const scene = jobSceneOf(await setRestartScene(t, 'jobs'));
    const { ns } = scene;
    const followed = await tool().follow(ns);
    await scene.put('once', { word: 'one' });
    await followed.commit(workloadOf(ns, 'Job', 'once'));
    await followed.untilApplied();
    await scene.start(t, { config: scene.config({ jobs: 'recreate' }) });
    await scene.untilAdopted('Job', 'once');
    const first = await scene.job('once');
    assert.ok(first);
    await scene.put('once', { word: 'two' });
    const second = await scene.untilRecreated('once', first.metadata.uid);
    await followed.compare();
    await followed.untilApplied();
    assert.equal((await scene.job('once'))?.metadata.uid, second.metadata.uid);
  });

  test('a pod that weeder deletes is not a difference', async (t) => {
    const ns = await testNamespace(t, 'weeded');
    const followed = await tool().follow(ns);
    const web = workloadOf(ns, 'Deployment', 'web');
    await followed.commit({ ...web, spec: specOf('Deployment', 'web', ns, { spec: { replicas: 1 } }) });
    await followed.untilApplied();
    const looping = await onePod(ns, { workload: 'web' });
    await setSlice(ns, 'db', { ready: [false] });
    const podSelectors = [{ matchLabels: { workload: 'web' } }];
    const config = { servicesAndDependantSelectors: { db: { podSelectors } } };
    await startWeeder(t, { cluster: ns.cluster, config, flags: [`--namespaces=${ns.name}`] }).ready();
    await setPodStatus(ns, looping.metadata.name, crashLoopBackOff(3));
    await setSlice(ns, 'db', { ready: [true] });
    const next = await onePod(ns, { workload: 'web' }, { not: looping.metadata.uid });
    await followed.compare();
    await followed.untilApplied();
    assert.equal((await onePod(ns, { workload: 'web' })).metadata.uid, next.metadata.uid);
  });
}
