import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DeletionAnswer } from '../../../src/weeder/deletions/deletePod.ts';
import { backOff } from '../../support/objects/objects.ts';
import { minute } from '../../support/world/simulation.ts';
import { ends, type World, world } from '../../support/world/world.ts';

const up = { ready: [true] };
const refused: DeletionAnswer = { type: 'delete.refused', reason: '500: etcd is slow' };
const crashLooping = { containers: [backOff()] };
/** With jitter in the middle, as the simulation has it. */
const pauses = [150, 300, 600, 1200, 2400, 4800, 7500, 7500];

const times = (at: World) => at.deletions.map((each) => each.at);

/** Answers of a script, in order; after its end the API server answers by itself. */
function scripted(answers: readonly DeletionAnswer[]): World {
  const script = [...answers];
  const at: World = world({ answer: (request) => script.shift() ?? at.answerTo(request) });
  at.put(crashLooping);
  at.slice(up);
  return at;
}

test('a deletion insists on the uid and the resourceVersion that were seen', async () => {
  const at = world();
  const { metadata } = at.put(crashLooping);
  at.slice(up);
  await ends(at);
  assert.equal(at.deletions[0]?.uid, metadata.uid);
  assert.equal(at.deletions[0]?.resourceVersion, metadata.resourceVersion);
  assert.deepEqual(at.pods(), []);
});

test('a refused deletion is tried again, ever more slowly, until it is accepted', async () => {
  const at = scripted([refused, refused, refused]);
  await ends(at);
  assert.deepEqual(times(at), [0, 150, 450, 1050]);
  assert.deepEqual(
    at.factsOf('deletion.refused').map(({ attempt, retryIn, reason }) => [attempt, retryIn, reason]),
    [1, 2, 3].map((attempt) => [attempt, pauses[attempt - 1], '500: etcd is slow']),
  );
  assert.equal(at.factsOf('pod.deleted').length, 1);
  assert.deepEqual(at.factsOf('deletion.failed'), []);
});

test('one that is refused until the window closes is given up then: told, and in the closing account', async () => {
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
  assert.equal(at.factsOf('deletion.failed')[0]?.reason, 'the window closed first');
  assert.deepEqual(at.factsOf('window.closed')[0]?.failed, ['shoot-1/kapi-0']);
  assert.equal(at.facts.at(-1)?.type, 'window.closed');
});

test('a server that says Retry-After is not asked sooner', async () => {
  const at = scripted([{ type: 'delete.refused', retryAfter: 8000 }]);
  await ends(at);
  assert.deepEqual(times(at), [0, 8000]);
});

test('one that can never be accepted is reported once, and not tried again while the pod stays', async () => {
  const at = world({ answer: () => ({ type: 'delete.rejected', reason: '400: bad request' }) });
  at.put(crashLooping);
  at.slice(up);
  await at.clock.pass(1000);
  at.put({ ...crashLooping, annotations: { touched: 'yes' } });
  await ends(at);
  assert.deepEqual(times(at), [0]);
  assert.deepEqual(
    at.factsOf('deletion.failed').map((fact) => fact.reason),
    ['400: bad request'],
  );
});

test('a client that breaks is like an API server that refuses', async () => {
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
  assert.equal(at.factsOf('deletion.refused')[0]?.reason, 'socket hang up');
});

test('deletion: evict and gracePeriodSeconds reach the API server', async () => {
  const at = world({ service: { deletion: 'evict', gracePeriodSeconds: 3 } });
  at.put(crashLooping);
  at.slice(up);
  await ends(at);
  assert.equal(at.deletions[0]?.policy.deletion, 'evict');
  assert.equal(at.deletions[0]?.policy.gracePeriodSeconds, 3);
  assert.equal(at.factsOf('pod.deleted')[0]?.how, 'evict');
});

test('a new window asks once more for what can never be accepted, and its account names it again', async () => {
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
      at.factsOf('window.closed').map((fact) => fact.failed),
      [['shoot-1/kapi-0'], ['shoot-1/kapi-0']],
    );
  }
});
