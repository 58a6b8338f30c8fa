import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeletionAnswer } from '../../../src/weeder/deletions/deletePod.ts';
import { backOff } from '../../support/objects/objects.ts';
import { minute } from '../../support/world/simulation.ts';
import { ends, type World, world } from '../../support/world/world.ts';

const up = { ready: [true] };
const refused: DeletionAnswer = { type: 'delete.failed', reason: '500: etcd is slow' };
const crashLooping = { containers: [backOff()] };
/** With the jitter of the simulation, which is the middle value. */
const pauses = [150, 300, 600, 1200, 2400, 4800, 7500, 7500];

const times = (at: World) => at.deletions.map((each) => each.at);

/** Responses of a script, in order; after the last one the simulated API server responds. */
function scripted(answers: readonly DeletionAnswer[]): World {
  const script = [...answers];
  const at: World = world({ answer: (request) => script.shift() ?? at.answerTo(request) });
  at.put(crashLooping);
  at.slice(up);
  return at;
}

test('a deletion has the observed uid and resourceVersion as preconditions', async () => {
  const at = world();
  const { metadata } = at.put(crashLooping);
  at.slice(up);
  await ends(at);
  assert.equal(at.deletions[0]?.uid, metadata.uid);
  assert.equal(at.deletions[0]?.resourceVersion, metadata.resourceVersion);
  assert.deepEqual(at.pods(), []);
});

test('a refused deletion is retried after growing pauses until it is accepted', async () => {
  const at = scripted([refused, refused, refused]);
  await ends(at);
  assert.deepEqual(times(at), [0, 150, 450, 1050]);
  assert.deepEqual(
    at.eventsOf('deletion.refused').map(({ attempt, retryIn, reason }) => [attempt, retryIn, reason]),
    [1, 2, 3].map((attempt) => [attempt, pauses[attempt - 1], '500: etcd is slow']),
  );
  assert.equal(at.eventsOf('pod.deleted').length, 1);
  assert.deepEqual(at.eventsOf('deletion.failed'), []);
});

test('a deletion that is refused until the window closes fails then: it is reported and counted in the window’s stats', async () => {
  const at: World = world({ answer: () => refused });
  at.put(crashLooping);
  at.slice(up);
  await ends(at);
  const expected = [0];
  for (let index = 0; ; index += 1) {
    const next = Number(expected.at(-1)) + (pauses[Math.min(index, pauses.length - 1)] ?? 0);
    if (next >= 2 * minute) break;
    expected.push(next);
  }
  assert.deepEqual(times(at), expected);
  const reason = 'the window closed first, and an earlier attempt was refused: 500: etcd is slow';
  assert.equal(at.eventsOf('deletion.failed')[0]?.reason, reason);
  assert.deepEqual(at.eventsOf('window.closed')[0]?.failed, ['shoot-1/kapi-0']);
  assert.equal(at.events.at(-1)?.type, 'window.closed');
});

test('a deletion is not retried before Retry-After', async () => {
  const at = scripted([{ type: 'delete.failed', retryAfter: 8000 }]);
  await ends(at);
  assert.deepEqual(times(at), [0, 8000]);
});

test('a rejected deletion is reported once, and not retried while the pod exists', async () => {
  const at = world({ answer: () => ({ type: 'delete.rejected', reason: '400: bad request' }) });
  at.put(crashLooping);
  at.slice(up);
  await at.clock.pass(1000);
  at.put({ ...crashLooping, annotations: { touched: 'yes' } });
  await ends(at);
  assert.deepEqual(times(at), [0]);
  assert.deepEqual(
    at.eventsOf('deletion.failed').map((event) => event.reason),
    ['400: bad request'],
  );
});

test('an exception of the client counts as a refusal by the API server', async () => {
  let tries = 0;
  const at: World = world({
    answer: (request) => {
      tries += 1;
      if (tries === 1) throw new Error('socket hang up');
      return at.answerTo(request);
    },
  });
  at.put(crashLooping);
  at.slice(up);
  await ends(at);
  assert.deepEqual(times(at), [0, 150]);
  assert.equal(at.eventsOf('deletion.refused')[0]?.reason, 'socket hang up');
});

test('deletion: evict and gracePeriodSeconds reach the API server', async () => {
  const at = world({ service: { deletion: 'evict', gracePeriodSeconds: 3 } });
  at.put(crashLooping);
  at.slice(up);
  await ends(at);
  assert.equal(at.deletions[0]?.policy.deletion, 'evict');
  assert.equal(at.deletions[0]?.policy.gracePeriodSeconds, 3);
  assert.equal(at.eventsOf('pod.deleted')[0]?.how, 'evict');
});

test('a new window tries a rejected deletion once more, and names it in its stats again', async () => {
  for (const whileNotReady of ['hold', 'delete'] as const) {
    const at = world({ service: { whileNotReady }, answer: () => ({ type: 'delete.rejected', reason: '405' }) });
    at.put(crashLooping);
    at.slice(up);
    await at.clock.pass(1000);
    at.slice({ ready: [false] });
    at.slice(up);
    await ends(at);
    assert.deepEqual(times(at), [0, 1000]);
    assert.deepEqual(
      at.eventsOf('window.closed').map((event) => event.failed),
      [['shoot-1/kapi-0'], ['shoot-1/kapi-0']],
    );
  }
});

test('an attempt that fails after the service was down and up again is repeated in the second window', async () => {
  const { promise, resolve } = Promise.withResolvers<DeletionAnswer>();
  const answers = [promise];
  const at: World = world({ answer: (request) => answers.shift() ?? at.answerTo(request) });
  at.put(crashLooping);
  at.slice(up);
  for (const ready of [false, true]) {
    await at.clock.pass(50);
    at.slice({ ready: [ready] });
  }
  resolve(refused);
  await ends(at);
  assert.equal(at.deletions.length, 2);
  assert.deepEqual(at.pods(), []);
});
