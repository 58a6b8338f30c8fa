import assert from 'node:assert/strict';
import { test } from 'node:test';
import { quietPeriodOf } from '../../../src/restart/pace/quietPeriod.ts';
import { restartConfig, settings } from '../../support/objects/restartSettings.ts';
import { configMap, restartWorld, withEnv } from '../../support/world/restartWorld.ts';

const second = 1_000;
const minute = 60 * second;
const source = configMap('settings');

test('a restart waits for the quiet period after the latest change', () => {
  assert.deepEqual(quietPeriodOf({ changedAt: 8_000, unquietSince: undefined }, settings, 10_000), {
    quietIn: 3_000,
    isOverdue: false,
  });
  assert.equal(quietPeriodOf({ changedAt: 8_000, unquietSince: 0 }, settings, 10_000).quietIn, 3_000);
  assert.equal(quietPeriodOf({ changedAt: 0, unquietSince: undefined }, settings, 10_000).quietIn, 0);
  const short = { ...settings, quietPeriod: second };
  assert.equal(quietPeriodOf({ changedAt: 10_000, unquietSince: undefined }, short, 10_000).quietIn, second);
});

test('changes that follow each other delay a restart for no longer than quietMax', () => {
  const changes = { changedAt: 58_000, unquietSince: 0 };
  assert.deepEqual(quietPeriodOf(changes, settings, 58_000), { quietIn: 2_000, isOverdue: false });
  assert.deepEqual(quietPeriodOf(changes, settings, 60_000), { quietIn: 0, isOverdue: true });
  assert.deepEqual(quietPeriodOf({ changedAt: 70_000, unquietSince: 0 }, settings, 70_000), {
    quietIn: 0,
    isOverdue: true,
  });
});

test('a restart whose quiet period ended before quietMax is not overdue', () => {
  assert.equal(quietPeriodOf({ changedAt: 50_000, unquietSince: 0 }, settings, 70_000).isOverdue, false);
});

test('a change long after another one that still waits has its own quiet period', async () => {
  const world = await restartWorld(restartConfig({ rule: { minInterval: 10 * minute } }));
  world.putSource(source, { a: '1' });
  world.putWorkload('web', withEnv('settings', 'a'));
  await world.pass(minute);
  world.putSource(source, { a: '2' });
  await world.pass(2 * minute);
  const [first] = world.rollouts;
  world.putSource(source, { a: '3' });
  await world.pass((first?.at ?? 0) + 10 * minute - 2 * second - world.clock.monotonic());
  assert.equal(world.rollouts.length, 1);
  const changedAt = world.clock.monotonic();
  world.putSource(source, { a: '4' });
  await world.pass(minute);
  assert.equal(world.rollouts.length, 2);
  assert.equal((world.rollouts[1]?.at ?? 0) - changedAt, settings.quietPeriod);
});
