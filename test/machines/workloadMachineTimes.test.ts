import assert from 'node:assert/strict';
import { test } from 'node:test';
import { workloadWorld } from '../support/world/workloadWorld.ts';

const minute = 60_000;

/** A world with an adopted workload. */
function adopted() {
  const world = workloadWorld();
  world.clock.advance(minute);
  return world;
}

test('adoption records the current state, and restarts nothing', () => {
  const world = adopted();
  assert.deepEqual(world.now().written, { rolledOut: 0 });
  assert.equal(world.of('restarted').length, 0);
  assert.ok(world.now().state.matches({ assessed: 'current' }));
});

test('one change is one restart, a quiet period after it, and the state eventually says so', () => {
  const world = adopted();
  world.change();
  world.clock.advance(4_900);
  assert.equal(world.of('restarted').length, 0);
  world.clock.advance(5 * minute);
  assert.deepEqual(
    world.of('restarted').map(({ at, content }) => [Math.floor((at - minute) / 1000), content]),
    [[5, 1]],
  );
  assert.deepEqual([world.now().pods, world.now().written], [1, { rolledOut: 1 }]);
});

test('ten changes in a second are one restart', () => {
  const world = adopted();
  for (let change = 0; change < 10; change += 1) {
    world.change();
    world.clock.advance(100);
  }
  world.clock.advance(5 * minute);
  assert.deepEqual(
    world.of('restarted').map(({ content }) => content),
    [10],
  );
});

test('a source that changes every four seconds causes a restart after a minute', () => {
  const world = adopted();
  for (let change = 0; change < 20; change += 1) {
    world.change();
    world.clock.advance(4_000);
  }
  const [first] = world.of('restarted');
  assert.ok(first !== undefined && first.at - minute >= minute && first.at - minute < minute + 1_000, `${first?.at}`);
  world.clock.advance(10 * minute);
  assert.equal(world.now().pods, 20);
});

test('a source that changes faster than it is assessed still causes a restart', () => {
  const world = workloadWorld({}, () => 100);
  world.clock.advance(minute);
  for (let change = 0; change < 1_400; change += 1) {
    world.change();
    world.clock.advance(50);
  }
  assert.equal(world.of('restarted').length, 1);
});

test('pods that another client replaced need no restart', () => {
  const world = adopted();
  world.change();
  world.replacePods();
  world.clock.advance(minute);
  assert.equal(world.of('restarted').length, 0);
  assert.deepEqual(world.now().written, { rolledOut: 1 });
});

test('a change during a rollout is one more restart after it', () => {
  const world = adopted();
  world.change();
  world.clock.advance(36_000);
  world.change();
  world.clock.advance(5 * minute);
  assert.deepEqual([world.of('restarted').length, world.now().pods], [2, 2]);
});

test('the fix of a stalled rollout is rolled out', () => {
  const world = adopted();
  world.setBroken(true);
  world.change();
  world.clock.advance(3 * minute);
  assert.equal(world.of('stalled').length, 1);
  world.clock.advance(30 * minute);
  assert.equal(world.of('restarted').length, 1);
  world.setBroken(false);
  world.change();
  world.clock.advance(5 * minute);
  assert.deepEqual([world.of('restarted').length, world.now().pods], [2, 2]);
});

test('while a source is missing nothing is restarted, nor when it is back with the same content', () => {
  const world = adopted();
  world.setMissing(true);
  world.clock.advance(10 * minute);
  assert.equal(world.of('blocked').length, 1);
  world.setMissing(false);
  world.clock.advance(10 * minute);
  assert.equal(world.of('restarted').length, 0);
  assert.ok(world.now().state.matches({ assessed: 'current' }));
});

test('a reverted restart is repeated', () => {
  const world = adopted();
  world.change();
  world.clock.advance(6_000);
  world.revert();
  world.clock.advance(5 * minute);
  assert.deepEqual([world.of('reverted').length, world.of('restarted').length, world.now().pods], [1, 2, 1]);
});

test('a takeover at any moment causes no additional restart', () => {
  for (let moment = 0; moment < 45_000; moment += 150) {
    const world = adopted();
    world.change();
    world.clock.advance(moment);
    world.failOver();
    world.clock.advance(5 * minute);
    assert.deepEqual([moment, world.of('restarted').length, world.now().pods], [moment, 1, 1]);
    assert.deepEqual(world.now().written, { rolledOut: 1 });
  }
});

test('without a change no request is sent', () => {
  const world = adopted();
  const before = world.entries.length;
  world.clock.advance(24 * 60 * minute);
  assert.equal(world.entries.length, before);
  assert.equal(world.clock.pending, 0);
});
