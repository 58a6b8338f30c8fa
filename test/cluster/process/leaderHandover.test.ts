import assert from 'node:assert/strict';
import { test } from 'node:test';
import { eventually } from '../support/cluster.ts';
import { eventsOf } from '../support/events.ts';
import { setReplicaScene } from '../support/replicas.ts';

const dependants = 40;

test('a leader that is stopped in a window reports no failure for the pods that the next leader deletes', async (t) => {
  const { scene, start } = await setReplicaScene(t, 'window');
  await scene.endpoints(false);
  const pods = await Promise.all(Array.from({ length: dependants }, (_, index) => scene.pod(`web-${index}`)));
  // A deletion each second, so that many are due when the leader ends; the other replica deletes them at once.
  const a = await start({ flags: ['--concurrent-deletions=1', '--kube-api-qps=1', '--kube-api-burst=1'] });
  await a.untilLeader();
  const b = await start({ flags: [] });
  await b.untilStandby();
  await scene.endpoints(true);
  await eventually(() => a.deletions().length > 0, { what: 'the first deletion', every: 1 });
  assert.deepEqual(await a.stop(), { code: 0, signal: null });
  await scene.untilDeleted(...pods);
  scene.assertDeleted(...pods);
  assert.ok(a.deletions().length < dependants, 'the other one had something to do');

  assert.deepEqual(a.log.find('deletion failed'), []);
  const closed = a.log.find('window closed');
  assert.deepEqual(closed, []);
  await a.log.until('window handed over to the next weeder', { service: scene.service });
  assert.deepEqual(await eventsOf(scene.ns, 'reason=DeletionFailed'), []);
  await b.stop();
});
