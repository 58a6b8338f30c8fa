import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { crashLoopBackOff, patchPodMetadata, running, setPodStatus } from '../support/cluster.ts';
import { setScene } from '../support/scene.ts';

const ignored = { 'weeder.dev/ignore': 'true' };
const mirror = { 'kubernetes.io/config.mirror': '2f1c' };

suite('pods that are never deleted', { concurrency: true }, () => {
  test('an annotated pod and a mirror pod are not deleted, and each is reported once in a window', async (t) => {
    const scene = await setScene(t, 'skipped', { settings: { barePods: 'delete' } });
    const weeder = await scene.start();
    await scene.pod('ignored', undefined, { annotations: ignored });
    await scene.pod('mirror', undefined, { annotations: mirror, onNode: true });
    const notIgnored = await scene.pod('not-ignored', undefined, { annotations: { 'weeder.dev/ignore': 'false' } });
    await scene.endpoints(true);
    await scene.untilDeleted(notIgnored);
    for (const restarts of [4, 5, 6]) {
      await setPodStatus(scene.ns, 'ignored', crashLoopBackOff(restarts));
      await setPodStatus(scene.ns, 'mirror', running(restarts));
      await setPodStatus(scene.ns, 'mirror', crashLoopBackOff(restarts));
    }
    await scene.laterPodDeleted();
    scene.assertDeleted(notIgnored);
    const skipped = weeder.log.find(/^deletion skipped/).map(({ pod, reason }) => `${pod} ${reason}`);
    const { name } = scene.ns;
    assert.deepEqual(skipped.sort(), [`${name}/ignored ignored`, `${name}/mirror mirrorPod`]);

    await scene.endpoints(false);
    await scene.endpoints(true);
    const closed = await weeder.log.until('window closed', { service: scene.service, window: 1 });
    assert.partialDeepStrictEqual(closed, { skipped: 2 });
    await weeder.log.until(/^deletion skipped/, { pod: `${name}/ignored`, window: 2 });
    await scene.laterPodDeleted();
    scene.assertDeleted(notIgnored);
  });

  test('a pod is deleted after its annotation is removed in the window', async (t) => {
    const scene = await setScene(t, 'released');
    const weeder = await scene.start();
    const pod = await scene.pod('web', undefined, { annotations: ignored });
    await scene.endpoints(true);
    await weeder.log.until(/^deletion skipped/, { pod: `${scene.ns.name}/web` });
    scene.assertDeleted();
    await patchPodMetadata(scene.ns, 'web', { annotations: { 'weeder.dev/ignore': null } });
    await scene.untilDeleted(pod);
  });

  test('a pod that was annotated before the recovery is not deleted', async (t) => {
    const scene = await setScene(t, 'annotated');
    await scene.start();
    await scene.pod('web');
    await scene.endpoints(false);
    await patchPodMetadata(scene.ns, 'web', { annotations: ignored });
    await scene.endpoints(true);
    await scene.laterPodDeleted();
    scene.assertDeleted();
  });
});
