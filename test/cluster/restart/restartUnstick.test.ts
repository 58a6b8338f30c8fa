import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { createBudget, deleteBudget, eventually, patchPodStatus, remainsTrue } from '../support/cluster.ts';
import { healthy } from '../support/plane/remoteKubelet.ts';
import { type RestartScene, suiteRestartScene } from '../support/restart/restartScene.ts';

const hashAnnotation = 'weeder.dev/dependencies-hash';
const unsticks = { selector: { matchLabels: { stuck: 'ended' } }, unstick: true };
const goodImage = 'registry.invalid/weeder-test:1';
const brokenImage = 'registry.invalid/broken:1';

/** Waits for a pod whose image cannot be pulled, other than `other`. */
async function breakPod(scene: RestartScene, name: string, other?: string): Promise<string> {
  const pod = await eventually(
    async () =>
      (await scene.pods(name)).find(
        ({ metadata, spec, status }) =>
          spec.containers[0]?.image === brokenImage && status.containerStatuses !== undefined && metadata.uid !== other,
      ),
    { what: `a broken pod of ${name}` },
  );
  const waiting = { reason: 'ImagePullBackOff', message: 'Back-off pulling image' };
  const status = { name: 'main', image: '', imageID: '', restartCount: 0, ready: false, state: { waiting } };
  await patchPodStatus(scene.ns, pod.metadata.name, { containerStatuses: [status] });
  return pod.metadata.uid;
}

async function setImage(scene: RestartScene, name: string, image: string): Promise<void> {
  const containers = [{ name: 'main', image, envFrom: [{ configMapRef: { name } }] }];
  const answer = await scene.patch('StatefulSet', name, { spec: { template: { spec: { containers } } } });
  assert.equal(answer.status, 200, JSON.stringify(answer.body));
}

/** Corrects the release and changes the source. The template is correct then, but the broken pod remains. */
async function repair(scene: RestartScene, name: string): Promise<void> {
  await setImage(scene, name, goodImage);
  await scene.put(name, { word: 'repaired' });
}

suite('a StatefulSet that is stuck with a pod broken at an older revision', { concurrency: true }, () => {
  const given = suiteRestartScene('unstick', {
    section: { rules: [unsticks, {}], stallAfter: '2s' },
    // A pod whose image cannot be pulled never becomes ready.
    program: ({ spec }) => ({
      ...healthy,
      readyAfter: JSON.stringify(spec).includes(brokenImage) ? 3_600_000 : healthy.readyAfter,
    }),
  });

  async function stuck(name: string, labels: Readonly<Record<string, string>>) {
    const { scene, weeder } = given();
    await scene.put(name, { word: 'one' });
    await scene.make('StatefulSet', name, { labels });
    await scene.untilAdopted('StatefulSet', name);
    await setImage(scene, name, brokenImage);
    const broken = await breakPod(scene, name);
    const uids = async () => (await scene.pods(name)).map(({ metadata }) => metadata.uid);
    return { scene, weeder, broken, uids };
  }

  test('with unstick: true the broken pod is deleted, and the rollout completes', async () => {
    const { scene, broken, uids } = await stuck('freed', { stuck: 'ended' });
    await repair(scene, 'freed');
    // Three rollouts: the release, its correction, and the restart.
    await scene.untilDone('StatefulSet', 'freed', 3);
    assert.equal((await uids()).includes(broken), false);
    const { templateAnnotation } = await scene.summary('StatefulSet', 'freed');
    assert.deepEqual(
      (await scene.pods('freed')).map(({ metadata }) => metadata.annotations?.[hashAnnotation]),
      [templateAnnotation, templateAnnotation],
    );
  });

  test('without unstick: true the pod is not deleted, and the reason of the stall names it', async () => {
    const { scene, weeder, broken, uids } = await stuck('left', {});
    await repair(scene, 'left');
    const line = await weeder.log.until('rollout stalled', { workload: 'statefulset/left' });
    assert.match(String(line['reason']), /pod left-1, container main: ImagePullBackOff/);
    await remainsTrue(async () => (await uids()).includes(broken), { what: 'the broken pod exists', for: 3_000 });
    // Deletes the pod manually.
    await scene.ns.cluster.api('DELETE', scene.ns.path('api/v1', 'pods', 'left-1'));
    await scene.untilDone('StatefulSet', 'left', 3);
  });

  test('a PodDisruptionBudget that allows no eviction blocks it, and is reported', async () => {
    const { scene, weeder, broken, uids } = await stuck('budgeted', { stuck: 'ended' });
    assert.equal(await createBudget(scene.ns, 'budgeted', { labels: { workload: 'budgeted' }, minAvailable: 2 }), 0);
    await repair(scene, 'budgeted');
    await weeder.log.until('restart control request refused, retrying', {
      workload: 'statefulset/budgeted',
      failure: 'budget',
    });
    assert.ok((await uids()).includes(broken));
    await deleteBudget(scene.ns, 'budgeted');
    await scene.untilDone('StatefulSet', 'budgeted', 3);
  });
});
