import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { completed, running, setPodStatus, terminated, waiting } from '../support/cluster.ts';
import { setScene } from '../support/scene.ts';

const everyKind = { initContainers: ['migrate'], sidecars: ['proxy'] };
/** The node's clock is ahead, so weeder counts the two seconds from when it observes the status. */
const inAnHour = () => ({ finishedAt: new Date(Date.now() + 3_600_000) });
const tenSecondsAgo = () => ({ finishedAt: new Date(Date.now() - 10_000) });

suite('unreported back-offs', { concurrency: true }, () => {
  test('a terminated main container, init container or sidecar that has restarted before is in an unreported back-off', async (t) => {
    const scene = await setScene(t, 'silent');
    await scene.start();
    const unreported = terminated(2, tenSecondsAgo());
    const pods = [
      await scene.pod('main', { containers: { main: unreported } }, everyKind),
      await scene.pod('init', { containers: { migrate: unreported, main: waiting('PodInitializing') } }, everyKind),
      await scene.pod('sidecar', { containers: { proxy: unreported } }, everyKind),
      await scene.pod('success', { containers: { main: terminated(2, { ...tenSecondsAgo(), exitCode: 0 }) } }),
      await scene.pod('on-failure', { containers: { main: unreported } }, { restartPolicy: 'OnFailure' }),
      await scene.pod(
        'sidecar-success',
        {
          containers: { proxy: terminated(1, { ...tenSecondsAgo(), exitCode: 0 }), main: running() },
        },
        { ...everyKind, restartPolicy: 'OnFailure' },
      ),
    ];
    const began = performance.now();
    await scene.endpoints(true);
    await scene.untilDeleted(...pods);
    t.diagnostic(`six pods deleted in ${Math.round(performance.now() - began)} ms`);
    scene.assertDeleted(...pods);
  });

  test('a container that ends for the first time, or that is not restarted by its policy, is in no unreported back-off', async (t) => {
    const scene = await setScene(t, 'ended');
    await scene.start();
    const main = (restarts: number, exitCode: number) => ({
      containers: { main: terminated(restarts, { ...tenSecondsAgo(), exitCode }) },
    });
    await scene.pod('first-end', main(0, 1));
    await scene.pod(
      'on-failure',
      { containers: { a: terminated(2, { ...tenSecondsAgo(), exitCode: 0 }), b: running() } },
      {
        restartPolicy: 'OnFailure',
        containers: ['a', 'b'],
      },
    );
    await scene.pod(
      'never',
      { containers: { a: terminated(1, tenSecondsAgo()), b: running() } },
      {
        restartPolicy: 'Never',
        containers: ['a', 'b'],
      },
    );
    await scene.pod('init-done', { containers: { migrate: completed(3), main: running() } }, everyKind);
    await scene.endpoints(true);
    await scene.laterPodDeleted(() => terminated(2));
    scene.assertDeleted();
  });

  test('the restart policy of the container takes precedence over that of the pod', async (t) => {
    const scene = await setScene(t, 'own-policy');
    await scene.start();
    const ab = (a: object, policy: 'Always' | 'Never') => ({
      status: { containers: { a: terminated(1, { ...tenSecondsAgo(), ...a }), b: running() } },
      options: {
        containers: ['a', 'b'],
        restartPolicy: policy,
        containerRestartPolicies: { a: policy === 'Always' ? 'Never' : 'Always' },
      } as const,
    });
    const restarted = ab({ exitCode: 0 }, 'Never');
    const ended = ab({ exitCode: 1 }, 'Always');
    const pod = await scene.pod('restarted', restarted.status, restarted.options);
    await scene.pod('ended', ended.status, ended.options);
    await scene.endpoints(true);
    await scene.untilDeleted(pod);
    await scene.laterPodDeleted(() => terminated(2));
    scene.assertDeleted(pod);
  });

  test('an unreported back-off is assumed after two seconds, unless the container restarts in that time', async (t) => {
    const scene = await setScene(t, 'delayed');
    await scene.start();
    await scene.endpoints(true);
    await scene.pod('restarted', running(1));
    const ending = await scene.pod('ending', running(1));
    await setPodStatus(scene.ns, 'restarted', terminated(1, inAnHour()));
    await setPodStatus(scene.ns, 'restarted', running(2));
    const finishedAt = new Date();
    await setPodStatus(scene.ns, 'ending', terminated(1, { finishedAt }));
    const [deletion] = await scene.untilDeleted(ending);
    const waited = (deletion?.at ?? 0) - finishedAt.getTime();
    // The API truncates times to whole seconds, so finishedAt may be almost a second early.
    assert.ok(waited > 1000 && waited < 8000, `deleted ${Math.round(waited)} ms after it finished`);
    await scene.laterPodDeleted(() => terminated(1));
    scene.assertDeleted(ending);
  });

  test('weeder counts the two seconds by its own clock if the clock of the node is ahead', async (t) => {
    const scene = await setScene(t, 'node-ahead');
    await scene.start();
    await scene.endpoints(true);
    const began = Date.now();
    const pod = await scene.pod('web', terminated(1, inAnHour()));
    const [deletion] = await scene.untilDeleted(pod);
    const waited = (deletion?.at ?? 0) - began;
    assert.ok(waited > 2000 && waited < 8000, `deleted ${Math.round(waited)} ms after it was created`);
  });

  test('each restart in the window starts the two seconds again', async (t) => {
    const scene = await setScene(t, 'restarts');
    await scene.start();
    await scene.endpoints(true);
    const pod = await scene.pod('web', running(1));
    for (const restarts of [1, 2, 3]) {
      await setPodStatus(scene.ns, 'web', terminated(restarts, inAnHour()));
      await setPodStatus(scene.ns, 'web', running(restarts + 1));
    }
    await scene.laterPodDeleted(() => terminated(1));
    scene.assertDeleted();
    await setPodStatus(scene.ns, 'web', terminated(4));
    await scene.untilDeleted(pod);
  });
});
