import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { objectOf } from '@weeder/kube-runtime/base';
import { breaker } from '../../../src/restart/content/restartHistory.ts';
import { eventually } from '../support/cluster.ts';
import { startRequestProxy } from '../support/plane/requestProxy.ts';
import { setRestartScene, suiteRestartScene } from '../support/restart/restartScene.ts';
import { templateOf } from '../support/restart/workloadOptions.ts';

/** A rule whose quiet period is longer than a write takes on a busy machine. */
const longQuietPeriod = { selector: { matchLabels: { pace: 'longQuietPeriod' } }, quietPeriod: '2s', quietMax: '60s' };
const overdue = { selector: { matchLabels: { pace: 'overdue' } }, quietPeriod: '2s', quietMax: '5s' };

suite('how often a workload is restarted', { concurrency: true }, () => {
  const given = suiteRestartScene('pace', { section: { rules: [longQuietPeriod, overdue, {}] } });

  async function adopted(name: string, options: object = {}) {
    const { scene, weeder } = given();
    await scene.put(name, { word: '0' });
    await scene.make('Deployment', name, { spec: { replicas: 1 }, ...options });
    await scene.untilAdopted('Deployment', name);
    return { scene, weeder };
  }

  test('a source that changes continuously restarts its workload nevertheless, once in each quietMax', async () => {
    const { scene } = await adopted('busy', { labels: { pace: 'overdue' } });
    const began = performance.now();
    let changes = 0;
    await eventually(
      async (saw) => {
        changes += 1;
        await scene.put('busy', { word: String(changes) });
        const rollouts = await scene.rollouts('Deployment', 'busy');
        saw([changes, rollouts]);
        return rollouts > 0;
      },
      { what: 'a restart while it changes', every: 100 },
    );
    const took = performance.now() - began;
    assert.ok(took >= 4_900, `restarted after ${took} ms`);
    assert.ok(changes > 3, `${changes} changes`);
    assert.equal(await scene.rollouts('Deployment', 'busy'), 1);
  });

  test('with two conflicting writers, weeder gives up after five restarts, and reports it', async () => {
    const { scene, weeder } = await adopted('fought');
    const about = { workload: 'deployment/fought' };
    let value = 0;
    await eventually(
      async () => {
        value += 1;
        await scene.put('fought', { word: value % 2 === 0 ? 'ours' : 'theirs' });
        await pause(700);
        return weeder.log.find('restart blocked', about).length > 0;
      },
      { what: 'the breaker' },
    );
    const line = await weeder.log.until('restart blocked', about);
    assert.equal(line['cause'], 'breaker');
    await adopted('later');
    for (const word of ['more', 'and more']) await scene.put('fought', { word });
    // weeder handles a later change later.
    await scene.put('later', { word: '1' });
    await scene.untilDone('Deployment', 'later', 1);
    assert.equal(await scene.rollouts('Deployment', 'fought'), breaker.restarts);
    assert.equal((await scene.state('Deployment', 'fought'))?.restarts.length, breaker.restarts);
  });

  test('if another client is always quicker, weeder reads and decides again, and preserves its writes', async (t) => {
    const scene = await setRestartScene(t, 'conflicts');
    let quicker = 0;
    const { kubeconfig } = await startRequestProxy(t, scene.ns.cluster, async ({ method, path, body }) => {
      const isRestart = method === 'PATCH' && path.includes('/deployments/') && body.includes('dependencies-hash');
      if (!isRestart || quicker === 4) return;
      quicker += 1;
      await scene.patch('Deployment', 'web', { metadata: { labels: { quicker: String(quicker) } } });
    });
    const weeder = await scene.start(t, { kubeconfig });
    await scene.put('web', { word: 'one' });
    await scene.make('Deployment', 'web', { spec: { replicas: 1 } });
    await scene.untilAdopted('Deployment', 'web');
    await scene.put('web', { word: 'two' });
    await scene.untilDone('Deployment', 'web', 1);
    assert.equal(quicker, 4);
    const last = (await scene.versions('Deployment', 'web')).at(-1);
    assert.equal(last?.metadata.labels?.['quicker'], '4');
    assert.ok(objectOf(templateOf(last)['metadata'])['annotations']);
    await weeder.log.until(/^workload restarted/);
    assert.equal(weeder.log.find(/^workload restarted/).length, 1);
  });
});
