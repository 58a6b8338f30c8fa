import assert from 'node:assert/strict';
import { test } from 'node:test';
import { backOff, running, terminated } from '../../support/objects/objects.ts';
import { ends, type World, world } from '../../support/world/world.ts';

const up = { ready: [true] };
const hour = 3_600_000;

/** A container that has just exited by the clock of its node, which is `ahead` milliseconds ahead of weeder's. */
const ended = (at: World, { restarts = 1, exitCode = 1, ahead = 0 } = {}) => ({
  containers: [terminated(at.clock.now() + ahead, restarts, exitCode)],
});

test('an unreported back-off is detected exactly 2 s after the container ended', async () => {
  const at = world();
  at.slice(up);
  at.put(ended(at));
  await at.clock.pass(1999);
  assert.deepEqual(at.timeline(), []);
  await at.clock.pass(1);
  assert.deepEqual(at.timeline(), ['kapi-0@2000']);
  await ends(at);
});

test('a container that is restarted within 2 s is not deleted', async () => {
  const at = world();
  at.slice(up);
  at.put(ended(at));
  await at.clock.pass(1999);
  at.put({ containers: [running(2)] });
  await ends(at);
  assert.deepEqual(at.timeline(), []);
});

test('a container that ended for the first time is restarted at once by the kubelet, and is not deleted', async () => {
  const at = world();
  at.slice(up);
  at.put(ended(at, { restarts: 0 }));
  await ends(at);
  assert.deepEqual(at.timeline(), []);
});

test('a back-off that already lasts when the service recovers is ended at once', async () => {
  const at = world();
  at.slice({ ready: [false] });
  at.put(ended(at, { restarts: 4 }));
  await at.clock.pass(40_000);
  at.slice(up);
  await ends(at);
  assert.deepEqual(at.timeline(), ['kapi-0@40000']);
});

test('the 2 s count from the first observation, not from a newer version of the same back-off', async () => {
  const at = world();
  at.slice(up);
  const state = ended(at, { ahead: 5000 });
  at.put(state);
  await at.clock.pass(1500);
  at.put({ ...state, annotations: { touched: 'yes' } });
  await at.clock.pass(499);
  assert.deepEqual(at.timeline(), []);
  await at.clock.pass(1);
  assert.deepEqual(at.timeline(), ['kapi-0@2000']);
  await ends(at);
});

test('the 2 s start over after each run', async () => {
  const at = world();
  at.slice(up);
  at.put(ended(at, { restarts: 1 }));
  await at.clock.pass(1000);
  at.put({ containers: [running(2)] });
  await at.clock.pass(1000);
  at.put(ended(at, { restarts: 2 }));
  await at.clock.pass(1999);
  assert.deepEqual(at.timeline(), []);
  await ends(at);
  assert.deepEqual(at.timeline(), ['kapi-0@4000']);
});

test('the 2 s also start over if the run itself was not observed', async () => {
  const at = world();
  at.slice(up);
  at.put(ended(at, { restarts: 1, ahead: 10_000 }));
  await at.clock.pass(1900);
  at.put(ended(at, { restarts: 2, ahead: 10_000 }));
  await ends(at);
  assert.deepEqual(at.timeline(), ['kapi-0@3900']);
});

test('CrashLoopBackOff ends the wait', async () => {
  const at = world();
  at.slice(up);
  at.put(ended(at));
  await at.clock.pass(500);
  at.put({ containers: [backOff()] });
  await ends(at);
  assert.deepEqual(at.timeline(), ['kapi-0@500']);
});

test('a node’s clock that is an hour ahead causes no delay: weeder’s own clock counts', async () => {
  const at = world();
  at.slice(up);
  at.put(ended(at, { ahead: hour }));
  await ends(at);
  assert.deepEqual(at.timeline(), ['kapi-0@2000']);
});

test('a wall clock that is set back by an hour causes no delay', async () => {
  const at = world();
  at.slice(up);
  at.put(ended(at));
  await at.clock.pass(1000);
  at.clock.jumpWallClock(-hour);
  at.put({ ...ended(at), annotations: { touched: 'yes' } });
  await ends(at);
  assert.deepEqual(at.timeline(), ['kapi-0@2000']);
});

test('setting the wall clock does not change the duration of a window', async () => {
  for (const jump of [hour, -hour]) {
    const at = world();
    at.slice(up);
    at.clock.jumpWallClock(jump);
    await at.clock.pass(119_999);
    at.put({ name: 'inside', containers: [backOff()] });
    await at.clock.pass(1);
    at.put({ name: 'outside', containers: [backOff()] });
    await ends(at);
    assert.deepEqual(at.timeline(), ['inside@119999']);
  }
});

test('a pod in unreported back-off at the end of the window is not deleted after it', async () => {
  const at = world();
  at.slice(up);
  await at.clock.pass(118_500);
  at.put(ended(at));
  await ends(at);
  assert.deepEqual(at.timeline(), []);
});

test('init containers and sidecars count too', async () => {
  const at = world();
  at.slice(up);
  at.put({
    name: 'init',
    initContainers: [backOff()],
    containers: [{ state: { waiting: { reason: 'PodInitializing' } } }],
  });
  at.put({ name: 'sidecar', initContainers: [{ ...terminated(0, 2, 0), spec: { restartPolicy: 'Always' } }] });
  at.put({ name: 'init-completed', initContainers: [terminated(0, 2, 0)] });
  await ends(at);
  assert.deepEqual(at.timeline(), ['init@0', 'sidecar@0']);
});
