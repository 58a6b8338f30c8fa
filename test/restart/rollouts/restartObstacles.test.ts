import assert from 'node:assert/strict';
import { test } from 'node:test';
import { obstacleOf } from '../../../src/restart/pods/rollout.ts';
import { settings } from '../../support/objects/restartSettings.ts';
import { workloadSummary } from '../../support/objects/workloadObjects.ts';
import { configMap, restartWorld, withEnv } from '../../support/world/restartWorld.ts';

const second = 1_000;
const message = 'pods "web-1" is forbidden: exceeded quota: pods, requested: pods=1, used: pods=3, limited: pods=3';
const failure = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message };

test('the condition ReplicaFailure of a workload is the obstacle, on one line and not too long', () => {
  const obstacle = (condition: object) =>
    obstacleOf(workloadSummary('Deployment', { status: { conditions: [condition] } }));
  assert.equal(obstacle(failure), `FailedCreate: ${message}`);
  assert.equal(obstacle({ ...failure, status: 'False' }), undefined);
  assert.equal(obstacle({ ...failure, type: 'Progressing' }), undefined);
  const long = obstacle({ ...failure, message: `a\nb${'x'.repeat(5_000)}` }) ?? '';
  assert.match(long, /^FailedCreate: a\\u000abx+…$/);
  assert.ok(long.length < 320);
});

test('of a StatefulSet and a DaemonSet the missing pods are counted, because they have no such condition', () => {
  const set = (replicas: number) => obstacleOf(workloadSummary('StatefulSet', { status: { replicas } }));
  assert.equal(set(2), 'only 2 of 3 pods exist: see the Events of the StatefulSet');
  assert.equal(set(3), undefined);
  const status = { desiredNumberScheduled: 3, currentNumberScheduled: 1 };
  const obstacle = obstacleOf(workloadSummary('DaemonSet', { status }));
  assert.equal(obstacle, 'only 1 of 3 pods exist: see the Events of the DaemonSet');
  assert.equal(obstacleOf(workloadSummary('Deployment', { status: { replicas: 2 } })), undefined);
});

test('a rollout that a quota stops is reported as stalled with the condition, and one without a condition without', async () => {
  for (const [conditions, expected] of [
    [[failure], `FailedCreate: ${message}`],
    [[], undefined],
  ] as const) {
    const world = await restartWorld();
    world.putSource(configMap('settings'), { a: '1' });
    await world.pass(10 * second);
    world.putWorkload('web', withEnv('settings', 'a'));
    await world.pass(10 * second);
    world.rolloutTime = Number.POSITIVE_INFINITY;
    world.putSource(configMap('settings'), { a: '2' });
    await world.pass(10 * second);
    // Its controller would remove the condition of a quota that does not exist.
    world.isUnobserved = true;
    world.change('web', { status: { conditions } });
    await world.pass(settings.stallAfter + 10 * second);
    assert.deepEqual(
      world.eventsOf('workload.stalled').map(({ obstacle }) => obstacle),
      [expected],
    );
  }
});
