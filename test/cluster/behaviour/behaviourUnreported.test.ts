import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import {
  completed,
  type Pod,
  running,
  setPodStatus,
  sharedControlPlane,
  terminated,
  waiting,
} from '../support/cluster.ts';
import { skipBefore } from '../support/plane/apiServerVersion.ts';
import { type Scene, setScene } from '../support/scene.ts';

const everyKind = { initContainers: ['migrate'], sidecars: ['proxy'] };
/** The node's clock is ahead, so weeder counts the two seconds from when it observes the status. */
const inAnHour = () => ({ finishedAt: new Date(Date.now() + 3_600_000) });
const tenSecondsAgo = () => ({ finishedAt: new Date(Date.now() - 10_000) });

/** How long a terminated container is given to restart: milliseconds. */
const patience = 2_000;

/**
 * Creates a pod whose container ends, and runs again before the two seconds are over; for each number of restarts. On a
 * busy machine that may take longer, and then it is tried with another pod.
 */
async function restartedInTime({ ns, pod }: Scene, ...restarts: number[]): Promise<Pod> {
  for (let round = 0; ; round += 1) {
    const name = `restarted-${round}`;
    const created = await pod(name, running(1));
    let took = 0;
    for (const count of restarts) {
      const began = performance.now();
      await setPodStatus(ns, name, terminated(count, inAnHour()));
      const failure = await setPodStatus(ns, name, running(count + 1)).then(() => undefined, String);
      took = Math.max(took, performance.now() - began);
      // It may be deleted only after the two seconds.
      if (failure !== undefined && took < patience) throw new Error(failure);
      if (took >= patience) break;
    }
    if (took < patience) return created;
  }
}

/** Asserts that these pods are deleted, and the other one is not. */
function assertOnly({ observer }: Scene, deleted: readonly Pod[], kept: Pod): void {
  const uids = observer.deletions().map(({ uid }) => uid);
  for (const { metadata } of deleted) assert.equal(uids.filter((uid) => uid === metadata.uid).length, 1);
  assert.ok(!uids.includes(kept.metadata.uid), `${kept.metadata.name} is deleted`);
}

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

  test('the API server stores a restart policy of a container, and it takes precedence over that of the pod', async (t) => {
    if (await skipBefore(t, await sharedControlPlane(), 35, 'only init containers have their own policy')) return;
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
    const restarted = await restartedInTime(scene, 1);
    const ending = await scene.pod('ending', running(1));
    const finishedAt = new Date();
    await setPodStatus(scene.ns, 'ending', terminated(1, { finishedAt }));
    const [deletion] = await scene.untilDeleted(ending);
    const waited = (deletion?.at ?? 0) - finishedAt.getTime();
    // The API truncates times to whole seconds, so finishedAt may be almost a second early.
    assert.ok(waited > 1000, `deleted ${Math.round(waited)} ms after it finished`);
    await scene.laterPodDeleted(() => terminated(1));
    assertOnly(scene, [ending], restarted);
  });
});
