import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { rolloutOf } from '../../../src/restart/pods/rollout.ts';
import { readWorkload } from '../../../src/restart/references/workloadSummary.ts';
import { startRequestProxy } from '../support/plane/requestProxy.ts';
import { managed, setDeploymentScene, suiteDeploymentScene } from '../support/restart/deploymentScene.ts';
import { type RestartScene, setRestartScene } from '../support/restart/restartScene.ts';
import { closedWindow } from '../support/windows.ts';

const pausedUntil = 'weeder.dev/paused-until';
const main = { name: 'main', image: 'registry.invalid/web:1' };
const closed = { window: 'closed' };
const open = { window: 'open' };
const slow = { pace: 'slow' };

function using(name: string): object {
  return { containers: [{ ...main, envFrom: [{ configMapRef: { name } }] }] };
}

suite('pending restarts', { concurrency: 8 }, () => {
  const scene = suiteDeploymentScene('waits', {
    rules: [
      { selector: { matchLabels: closed }, maintenanceWindows: [closedWindow()] },
      { selector: { matchLabels: open }, maintenanceWindows: [closedWindow(), { cron: '* * * * *', duration: '10m' }] },
      { selector: { matchLabels: slow }, minInterval: '4s' },
      { selector: { matchLabels: managed } },
    ],
  });

  async function changed(name: string, more: object) {
    const { make, change, deploy } = scene();
    await make('configmaps', name, { data: { a: '1' } });
    const web = await deploy(name, using(name), more);
    await change('configmaps', name, { data: { a: '2' } });
    return web;
  }

  test('outside of its maintenance windows a change is pending, and an Event has the time of the next one; within one it is one rollout', async () => {
    const [waits, restarts] = [await changed('closed', { labels: closed }), await changed('open', { labels: open })];
    await restarts.restarted(1);
    await waits.reported(
      'RestartPending',
      /no maintenance window is open, the next opens at 20\d\d-.* and closes at 20\d\d-/,
    );
    await scene().caughtUp();
    assert.deepEqual([await waits.rollouts(), await restarts.rollouts()], [0, 1]);
    await waits.patch({ metadata: { labels: { window: 'open' } } });
    await waits.restarted(1);
  });

  test('a restart is pending until the end of a pause, and then the change is one rollout', async () => {
    const web = await changed('paused', { annotations: { [pausedUntil]: '2099-01-01T00:00:00Z' } });
    await web.reported('RestartPending', /it is paused until 2099-01-01T00:00:00Z/);
    await scene().caughtUp();
    assert.equal(await web.rollouts(), 0);
    const until = Math.ceil(Date.now() / 1_000) * 1_000 + 2_000;
    await web.patch({ metadata: { annotations: { [pausedUntil]: new Date(until).toISOString() } } });
    await web.restarted(1);
    const [restarted = 0] = (await web.current()).restarts;
    assert.ok(restarted >= until, `restarted ${until - restarted} ms too early`);
  });

  test('a second change within minInterval waits for its end', async () => {
    const web = await changed('often', { labels: slow });
    await web.restarted(1);
    await scene().change('configmaps', 'often', { data: { a: '3' } });
    await web.restarted(2);
    const [first = 0, second = 0] = (await web.current()).restarts;
    assert.ok(second - first >= 4_000, `${second - first} ms between two restarts`);
    assert.deepEqual((await web.content())?.env, { a: '3' });
  });

  test('of many workloads with one source, no more than the limit are rolled out at once', async (t) => {
    const own = await setRestartScene(t, 'one-by-one');
    await own.put('shared', { word: 'one' });
    const names = ['a', 'b', 'c', 'd'];
    const options = { spec: { replicas: 1 }, uses: { envFrom: [{ configMapRef: { name: 'shared' } }] } };
    await Promise.all(names.map((name) => own.make('Deployment', name, options)));
    await own.start(t, { config: own.config({ maxConcurrentRollouts: 1 }) });
    await own.untilAdopted('Deployment', ...names);
    await own.put('shared', { word: 'two' });
    for (const name of names) await own.untilDone('Deployment', name, 1);
    const times = await Promise.all(names.map((name) => timeOfRollout(own, name)));
    const inOrder = times.toSorted((one, other) => one.began - other.began);
    for (const [index, { began }] of inOrder.entries())
      assert.ok(began > (inOrder[index - 1]?.ended ?? 0), JSON.stringify(inOrder));
  });

  test('adoptions are rate-limited: the first of many are immediate, and the others follow one after the other', async (t) => {
    const own = await setDeploymentScene(t, 'adoptions');
    const { ns, make, create, caughtUp } = own;
    /** The time of the first write of a state, by path. */
    const adopted = new Map<string, number>();
    const { kubeconfig } = await startRequestProxy(t, ns.cluster, ({ method, path }) => {
      if (method === 'PATCH' && path.includes('/deployments/') && !adopted.has(path)) adopted.set(path, Date.now());
    });
    await make('configmaps', 'shared', { data: { a: '1' } });
    const names = Array.from({ length: 9 }, (_, index) => `many-${index}`);
    const webs = await Promise.all(names.map((name) => create(name, using('shared'), { replicas: 0 })));
    // One adoption a second, after a burst of five.
    const weeder = await own.start(t, { maxAdoptionsPerMinute: 60 }, { kubeconfig });
    await Promise.all(webs.map((web) => web.current()));
    const times = [...adopted.values()];
    assert.equal(times.length, 9);
    // Adoptions start when weeder has the hash key. Requests may be delayed.
    const begun = Date.parse((await weeder.log.until('hash key read')).time);
    const took = Math.max(...times) - begun;
    assert.ok(took >= 3_900, `${took} ms for nine adoptions`);
    await caughtUp();
    for (const web of webs) assert.equal(await web.rollouts(), 0);
  });
});

/** The resource versions of the rollout, which the API server increases with each write. */
async function timeOfRollout(scene: RestartScene, name: string): Promise<{ began: number; ended: number }> {
  const versions = await scene.versions('Deployment', name);
  const seen = versions.flatMap((each) => readWorkload(each, 'Deployment') ?? []);
  const restarted = seen.filter(({ templateAnnotation }) => templateAnnotation !== undefined);
  const ended = restarted.find((summary) => rolloutOf(summary).type === 'complete');
  return { began: Number(restarted[0]?.resourceVersion), ended: Number(ended?.resourceVersion) };
}
