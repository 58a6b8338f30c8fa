import assert from 'node:assert/strict';
import { suite, test } from 'node:test';
import { denyPodDeletion, getPod, startWeeder } from '../support/cluster.ts';
import { setScene } from '../support/scene.ts';

suite('a deletion that an admission policy refuses', { concurrency: true }, () => {
  for (const [reason, status] of [
    ['Invalid', 422],
    ['Forbidden', 403],
  ] as const) {
    test(`the deletion is retried in the window, and succeeds after the policy is removed (${status})`, async (t) => {
      const scene = await setScene(t, 'policy-removed');
      await scene.endpoints(false);
      const pod = await scene.pod('web');
      const weeder = startWeeder(t, { cluster: scene.ns.cluster, config: scene.config });
      await weeder.ready();
      const denial = await denyPodDeletion(scene.ns, { labels: scene.labels, reason });
      await scene.endpoints(true);
      const web = { pod: `${scene.ns.name}/web` };
      const refused = await weeder.log.until('deletion refused, retrying', web, { count: 3 });
      assert.match(
        String(refused['reason']),
        new RegExp(`\\(${status}\\): .*weeder test: pods here must not be deleted`),
      );
      assert.equal((await getPod(scene.ns, 'web'))?.metadata.uid, pod.metadata.uid);
      await denial.remove();
      await scene.untilDeleted(pod);
      await weeder.log.until('pod deleted', { ...web, window: 1 });
    });
  }

  test('a deletion that is refused until the window closes counts as failed, and the log names the pod', async (t) => {
    const scene = await setScene(t, 'policy-stays', { settings: { watchDuration: '20s' } });
    await scene.endpoints(false);
    const pod = await scene.pod('web');
    const weeder = startWeeder(t, { cluster: scene.ns.cluster, config: scene.config });
    await weeder.ready();
    const denial = await denyPodDeletion(scene.ns, { labels: scene.labels });
    await scene.endpoints(true);
    const web = `${scene.ns.name}/web`;
    const closed = await weeder.log.until('window closed', { service: scene.service });
    assert.partialDeepStrictEqual(closed, { level: 'warn', deleted: 0, failed: [web] });
    await weeder.log.until('deletion failed', { pod: web });
    const [failed, ...more] = weeder.log.find('deletion failed', { pod: web });
    assert.partialDeepStrictEqual(failed, { level: 'warn', window: 1 });
    assert.match(String(failed?.['reason']), /^the window closed first, and an earlier attempt was refused: .*denied/);
    assert.equal(more.length, 0);

    // The deletion would succeed now, but weeder does not retry it after the window.
    await denial.remove();
    await scene.laterServiceHandled();
    assert.equal((await getPod(scene.ns, 'web'))?.metadata.uid, pod.metadata.uid);
    // The next window retries it.
    await scene.endpoints(false);
    await scene.endpoints(true);
    await scene.untilDeleted(pod);
  });
});
