import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  crashLoopBackOff,
  createReplicaSet,
  getPod,
  type Pod,
  podsOf,
  running,
  setPodStatus,
  startWeeder,
  terminated,
} from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { setScene, untilEnding } from '../support/scene.ts';

const namesOf = (pods: readonly Pod[]) => pods.map(({ metadata }) => metadata.name).sort();

suite('dependants that crash-loop although their service is ready', { concurrency: true }, () => {
  test('all replicas are deleted at once, and their replacements wait before they are deleted again', async (t) => {
    const scene = await setScene(t, 'repeats', { settings: { watchDuration: '10m' } });
    const { ns, labels } = scene;
    const first = await createReplicaSet(ns, 'web', { labels, replicas: 2 });
    const weeder = startWeeder(t, { cluster: ns.cluster, config: scene.config });
    await weeder.ready();
    for (const { metadata } of first) await setPodStatus(ns, metadata.name, crashLoopBackOff(4));
    await scene.endpoints(true);
    await scene.untilDeleted(...first);
    // The second round begins 10 s after the first, the third 20 s after the second: on a busy machine, the pods of the
    // second may crash-loop only when it is due.
    let pending: number[] = [];
    for (let deleted = 4; pending.join() !== '1,1'; deleted += 2) {
      const next = await podsOf(ns, labels, 2);
      for (const { metadata } of next) await setPodStatus(ns, metadata.name, crashLoopBackOff(4));
      await scene.untilDeleted(...next);
      await weeder.log.until('pod deleted', {}, { count: deleted });
      pending = namesOf(next).map((name) => weeder.log.find(/^deletion pending/, { pod: `${ns.name}/${name}` }).length);
      assert.ok(
        pending.every((times) => times <= 1),
        pending.join(),
      );
    }
  });

  test('a pod with a slow sidecar is not deleted in an unreported back-off, unless its controller replaces it at once', async (t) => {
    const scene = await setScene(t, 'slow-stop', { settings: { watchDuration: '10m' } });
    const { ns, labels } = scene;
    const containers = { main: terminated(3), proxy: running() };
    const options = { sidecars: ['proxy'], gracePeriodSeconds: 60, onNode: true } as const;
    const [replaced] = await createReplicaSet(ns, 'web', { labels, replicas: 1, ...options });
    assert.ok(replaced !== undefined);
    const weeder = startWeeder(t, { cluster: ns.cluster, config: scene.config });
    await weeder.ready();
    const waits = await scene.pod('waits', { containers }, options);
    await setPodStatus(ns, replaced.metadata.name, { containers });
    await scene.endpoints(true);
    await weeder.log.until(/^deletion pending: the kubelet restarts/, { pod: `${ns.name}/waits` });
    await untilEnding(ns, replaced);
    const currentPods = await eventually(
      async (saw) => {
        const pods = await podsOf(ns, labels);
        saw(namesOf(pods));
        return pods.length === 3 && pods;
      },
      { what: 'a replacement beside the terminating pod' },
    );
    assert.ok(currentPods.some(({ metadata }) => metadata.uid === replaced.metadata.uid));
    assert.equal((await getPod(ns, waits.metadata.name))?.metadata.deletionTimestamp, undefined);
  });
});
