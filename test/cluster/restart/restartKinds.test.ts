import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { eventually } from '../support/cluster.ts';
import { type RestartScene, suiteRestartScene } from '../support/restart/restartScene.ts';
import { makeNodes } from '../support/restart/workloadOptions.ts';

const hashAnnotation = 'weeder.dev/dependencies-hash';

const rollingKinds = ['StatefulSet', 'DaemonSet', 'Deployment'] as const;

async function uidsOf(scene: RestartScene, name: string): Promise<string[]> {
  return (await scene.pods(name)).map(({ metadata }) => metadata.uid).sort();
}

/** Returns the names of the pods of the current template. */
async function newPods(scene: RestartScene, kind: (typeof rollingKinds)[number], name: string): Promise<string[]> {
  const { templateAnnotation } = await scene.summary(kind, name);
  const pods = await scene.pods(name);
  assert(templateAnnotation !== undefined);
  return pods
    .filter(({ metadata }) => metadata.annotations?.[hashAnnotation] === templateAnnotation)
    .map(({ metadata }) => metadata.name);
}

suite('the effect of a change of a ConfigMap on a workload of each kind', { concurrency: true }, () => {
  const given = suiteRestartScene('kinds');
  let nodes: Promise<void> | undefined;

  async function adopted(kind: Parameters<RestartScene['make']>[0], name: string, spec: object = {}) {
    const { scene, weeder } = given();
    nodes ??= makeNodes(scene.ns);
    await nodes;
    await scene.put(name, { word: 'one' });
    await scene.make(kind, name, { spec });
    await scene.untilAdopted(kind, name);
    return { scene, weeder, uids: await uidsOf(scene, name) };
  }

  for (const kind of rollingKinds) {
    test(`a ${kind} is rolled out once, and that is recorded when no earlier pod is left`, async () => {
      const name = `rolling-${kind.toLowerCase()}`;
      const { scene, uids } = await adopted(kind, name);
      assert.equal(await scene.rollouts(kind, name), 0);
      await scene.put(name, { word: 'two' });
      await scene.untilDone(kind, name, 1);
      assert.equal((await newPods(scene, kind, name)).length, 2);
      const after = await uidsOf(scene, name);
      assert.deepEqual(
        after.filter((uid) => uids.includes(uid)),
        [],
      );
    });
  }

  for (const kind of ['StatefulSet', 'DaemonSet'] as const) {
    test(`a ${kind} with OnDelete waits until its pods are deleted by hand, and is then complete`, async () => {
      const name = `on-delete-${kind.toLowerCase()}`;
      const { scene, weeder, uids } = await adopted(kind, name, { updateStrategy: { type: 'OnDelete' } });
      await scene.put(name, { word: 'two' });
      const line = await weeder.log.until('restart pending', { workload: `${kind.toLowerCase()}/${name}` });
      for (const { metadata } of await scene.pods(name)) assert.ok(String(line['reason']).includes(metadata.name));
      assert.deepEqual(await uidsOf(scene, name), uids);
      assert.ok((await scene.state(kind, name))?.target);
      for (const { metadata } of await scene.pods(name))
        await scene.ns.cluster.api('DELETE', scene.ns.path('api/v1', 'pods', metadata.name));
      await scene.untilDone(kind, name, 1);
      assert.equal((await newPods(scene, kind, name)).length, 2);
    });
  }

  test('on a paused Deployment nothing is written until it is resumed', async () => {
    const { scene, weeder, uids } = await adopted('Deployment', 'paused');
    assert.equal((await scene.patch('Deployment', 'paused', { spec: { paused: true } })).status, 200);
    const before = await scene.summary('Deployment', 'paused');
    await scene.put('paused', { word: 'two' });
    const line = await weeder.log.until('restart pending', { workload: 'deployment/paused' });
    assert.equal(line['cause'], 'paused');
    const after = await scene.summary('Deployment', 'paused');
    assert.deepEqual([after.stateText, after.templateAnnotation], [before.stateText, undefined]);
    assert.deepEqual(await uidsOf(scene, 'paused'), uids);
    assert.equal((await scene.patch('Deployment', 'paused', { spec: { paused: false } })).status, 200);
    await scene.untilDone('Deployment', 'paused', 1);
  });

  test('the job template of a CronJob is changed for its next run, and nothing runs at once', async () => {
    const { scene } = await adopted('CronJob', 'nightly');
    await scene.put('nightly', { word: 'two' });
    await scene.untilDone('CronJob', 'nightly', 1);
    assert.ok((await scene.summary('CronJob', 'nightly')).templateAnnotation);
    assert.deepEqual(await scene.pods('nightly'), []);
  });

  test('a Job is reported, and neither it nor its pod is changed', async () => {
    const { scene, weeder, uids } = await adopted('Job', 'once');
    const before = await scene.summary('Job', 'once');
    await scene.put('once', { word: 'two' });
    const line = await weeder.log.until('restart blocked', { workload: 'job/once' });
    assert.equal(line['cause'], 'job');
    await eventually(async () => (await uidsOf(scene, 'once')).length === 1, { what: 'the pod of the Job' });
    assert.deepEqual(await uidsOf(scene, 'once'), uids);
    assert.equal(await scene.rollouts('Job', 'once'), 0);
    assert.deepEqual((await scene.summary('Job', 'once')).stateText, before.stateText);
  });
});
