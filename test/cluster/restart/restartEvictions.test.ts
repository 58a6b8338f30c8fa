import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { numberOf, objectOf } from '@weeder/kube-runtime/base';
import type { WorkloadKind } from '@weeder/kube-runtime/objects';
import { createBudget, deleteBudget, eventually, watchDeletions } from '../support/cluster.ts';
import { healthy } from '../support/plane/remoteKubelet.ts';
import { type RestartScene, suiteRestartScene } from '../support/restart/restartScene.ts';

const hashAnnotation = 'weeder.dev/dependencies-hash';
const evict = { selector: { matchLabels: { how: 'evict' } }, strategy: 'evict' };

async function uidsOf(scene: RestartScene, name: string): Promise<string[]> {
  return (await scene.pods(name)).map(({ metadata }) => metadata.uid).sort();
}

/** Restores the pod template, like an operator that removes the changes of other clients. */
async function restoreTemplate(scene: RestartScene, name: string): Promise<void> {
  const annotations = { [hashAnnotation]: null };
  const answer = await scene.patch('Deployment', name, { spec: { template: { metadata: { annotations } } } });
  assert.equal(answer.status, 200);
}

/** Asserts that no earlier pod is left, and that the state records it. */
async function untilReplaced(
  scene: RestartScene,
  name: string,
  before: readonly string[],
  kind: WorkloadKind = 'Deployment',
): Promise<void> {
  await eventually(
    async (saw) => {
      const [uids, state] = [await uidsOf(scene, name), await scene.state(kind, name)];
      saw([uids, state]);
      return uids.every((uid) => !before.includes(uid)) && state !== undefined && state.target === undefined;
    },
    { what: `${name} without earlier pods` },
  );
}

suite('restarts by eviction', { concurrency: true }, () => {
  const given = suiteRestartScene('evictions', {
    section: { rules: [evict, {}] },
    // The replacement of an evicted pod is not ready immediately, so the evictions follow one another.
    program: () => ({ ...healthy, readyAfter: 700 }),
  });

  async function adopted(name: string, labels: Readonly<Record<string, string>> = {}) {
    const { scene, weeder } = given();
    await scene.put(name, { word: 'one' });
    await scene.make('Deployment', name, { labels });
    await scene.untilAdopted('Deployment', name);
    return { scene, weeder, uids: await uidsOf(scene, name) };
  }

  test('with strategy evict the pods of a ReplicaSet are evicted one after the other, and the template is unchanged', async () => {
    const { scene, uids } = await adopted('evicted', { how: 'evict' });
    const observer = await watchDeletions(scene.ns);
    await scene.put('evicted', { word: 'two' });
    await Promise.all(uids.map((uid) => observer.untilDeleted(uid)));
    await untilReplaced(scene, 'evicted', uids);
    assert.equal(await scene.rollouts('Deployment', 'evicted'), 0);
    const available = (await scene.versions('Deployment', 'evicted')).map(
      ({ status }) => numberOf(objectOf(status)['availableReplicas']) ?? 0,
    );
    // Counts from the first complete version. The status may never show the missing pod.
    assert.ok(Math.min(...available.slice(available.indexOf(2))) >= 1, available.join());
  });

  test('with strategy evict the pods of a StatefulSet with OnDelete are replaced without manual deletions', async () => {
    const { scene } = given();
    await scene.put('on-delete', { word: 'one' });
    const spec = { updateStrategy: { type: 'OnDelete' } };
    await scene.make('StatefulSet', 'on-delete', { labels: { how: 'evict' }, spec });
    await scene.untilAdopted('StatefulSet', 'on-delete');
    const before = await uidsOf(scene, 'on-delete');
    await scene.put('on-delete', { word: 'two' });
    await untilReplaced(scene, 'on-delete', before, 'StatefulSet');
    assert.equal(await scene.rollouts('StatefulSet', 'on-delete'), 0);
  });

  test('an eviction that a PodDisruptionBudget does not allow is retried', async () => {
    const { scene, weeder, uids } = await adopted('budgeted', { how: 'evict' });
    assert.equal(await createBudget(scene.ns, 'budgeted', { labels: { workload: 'budgeted' }, minAvailable: 2 }), 0);
    await scene.put('budgeted', { word: 'two' });
    const refused = { workload: 'deployment/budgeted', failure: 'budget' };
    await weeder.log.until('restart control request refused, retrying', refused);
    assert.deepEqual(await uidsOf(scene, 'budgeted'), uids);
    await deleteBudget(scene.ns, 'budgeted');
    await untilReplaced(scene, 'budgeted', uids);
    assert.equal(await scene.rollouts('Deployment', 'budgeted'), 0);
  });

  test('a template that is restored after the rollout causes no further restart: its pods are new', async () => {
    const { scene, uids } = await adopted('slow');
    await scene.put('slow', { word: 'two' });
    await scene.untilDone('Deployment', 'slow', 1);
    await restoreTemplate(scene, 'slow');
    await scene.untilDone('Deployment', 'slow', 2);
    const state = (await scene.summary('Deployment', 'slow')).stateText;
    await scene.put('slow', { word: 'three' });
    await scene.untilDone('Deployment', 'slow', 3);
    assert.notEqual((await scene.summary('Deployment', 'slow')).stateText, state);
    assert.deepEqual(
      (await uidsOf(scene, 'slow')).filter((uid) => uids.includes(uid)),
      [],
    );
  });
});
