import assert from 'node:assert/strict';
import { test } from 'node:test';
import { virtualClock } from '@weeder/kube-runtime/testing';
import { restartConfig } from '../../support/objects/restartSettings.ts';
import { configMap, type RestartWorld, restartWorld, withEnv } from '../../support/world/restartWorld.ts';

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/**
 * A workload that has changed and is pending, and another weeder that takes over meanwhile. `rule`: what it waits for.
 */
async function waiting(rule: object, annotations: Readonly<Record<string, string>> = {}): Promise<RestartWorld> {
  const world = await restartWorld(restartConfig({ rule }), { clock: virtualClock() });
  world.putSource(configMap('settings'), { a: '1' });
  world.putWorkload('web', withEnv('settings', 'a'), { annotations });
  await world.pass(minute);
  world.putSource(configMap('settings'), { a: '2' });
  await world.pass(minute);
  return world;
}

function causes(world: RestartWorld): string[] {
  return world.eventsOf('workload.pending').map(({ cause }) => cause);
}

/** A window of ten minutes that opens once, an hour after `now`. */
function windowAfter(now: number) {
  const opens = new Date(now + hour);
  const cron = `${opens.getUTCMinutes()} ${opens.getUTCHours()} ${opens.getUTCDate()} ${opens.getUTCMonth() + 1} *`;
  return { cron, timeZone: 'UTC', duration: 10 * minute };
}

test('a restart that waits for its maintenance window is reported, waits on after a takeover, and then happens once', async () => {
  const world = await waiting({ maintenanceWindows: [windowAfter(virtualClock().now())] });
  assert.deepEqual([world.rollouts, causes(world)], [[], ['window']]);
  await world.restart();
  await world.pass(20 * minute);
  assert.deepEqual([world.rollouts, causes(world)], [[], ['window', 'window']]);
  await world.pass(45 * minute);
  assert.deepEqual(
    world.rollouts.map(({ workload }) => workload),
    ['web'],
  );
  const [rollout] = world.rollouts;
  assert.ok((rollout?.at ?? 0) >= 59 * minute && (rollout?.at ?? 0) < 71 * minute, `at ${rollout?.at}`);
  await world.pass(24 * hour);
  assert.equal(world.rollouts.length, 1);
});

test('a change that is reverted before the window opens restarts nothing', async () => {
  const world = await waiting({ maintenanceWindows: [windowAfter(virtualClock().now())] });
  world.putSource(configMap('settings'), { a: '1' });
  await world.pass(2 * hour);
  assert.deepEqual(world.rollouts, []);
});

test('a pause on the workload lasts until its time, also after a takeover', async () => {
  const until = new Date(virtualClock().now() + hour).toISOString();
  const world = await waiting({}, { 'weeder.dev/paused-until': until });
  await world.restart();
  await world.pass(30 * minute);
  assert.deepEqual([world.rollouts, causes(world)], [[], ['pausedUntil', 'pausedUntil']]);
  await world.pass(30 * minute);
  assert.equal(world.rollouts.length, 1);
});

test('a rollout in progress counts towards maxConcurrentRollouts after a takeover', async () => {
  const rule = { stallAfter: hour, progressDeadline: 2 * hour };
  const world = await restartWorld(restartConfig({ rule, maxConcurrentRollouts: 1 }));
  for (const name of ['first', 'second']) {
    world.putSource(configMap(name), { a: '1' });
    world.putWorkload(name, withEnv(name, 'a'));
  }
  await world.pass(minute);
  world.rolloutTime = 20 * minute;
  world.putSource(configMap('first'), { a: '2' });
  await world.pass(minute);
  await world.restart();
  world.putSource(configMap('second'), { a: '2' });
  await world.pass(10 * minute);
  assert.deepEqual([world.rollouts.map(({ workload }) => workload), causes(world)], [['first'], ['pace']]);
  await world.pass(15 * minute);
  assert.deepEqual(
    world.rollouts.map(({ workload }) => workload),
    ['first', 'second'],
  );
});

test('after a takeover weeder follows a rollout in progress, even if another source is missing by then', async () => {
  const world = await restartWorld(restartConfig({ maxConcurrentRollouts: 1 }));
  const other = configMap('other');
  const env = ['settings', 'other'].map((name) => ({ name, valueFrom: { configMapKeyRef: { name, key: 'a' } } }));
  world.putSource(configMap('settings'), { a: '1' });
  world.putSource(other, { a: '1' });
  await world.pass(10 * second);
  world.putWorkload('web', { containers: [{ name: 'app', image: 'app:1', env }] });
  await world.pass(10 * second);
  world.rolloutTime = 30 * second;
  world.putSource(configMap('settings'), { a: '2' });
  await world.pass(10 * second);
  world.deleteSource(other);
  await world.restart();
  assert.deepEqual(world.control.counts().states, { rolling: 1 });
  await world.pass(180 * second);
  assert.equal(world.eventsOf('workload.rolledOut').length, 1);
  assert.deepEqual(world.control.counts().states, { blocked: 1 });
});
