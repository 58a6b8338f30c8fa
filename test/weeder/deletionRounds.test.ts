import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createDeletionRounds } from '../../src/weeder/deletions/deletionRounds.ts';
import { crashLoopingPod } from '../support/objects/crashLoopingPod.ts';
import { virtualClock } from '../support/world/virtualClock.ts';

const start = Date.UTC(2026, 0, 1, 12);

function scene() {
  const clock = virtualClock(start);
  const rounds = createDeletionRounds(clock);
  const pod = (uid: string, createdAt: number | undefined, owner: string | undefined = 'rs-1') =>
    crashLoopingPod({ uid, createdAt, owner });
  return { clock, rounds, pod };
}

test('pods from before the first deletion do not wait, their replacements wait 10, 20, 40 s', async () => {
  const { clock, rounds, pod } = scene();
  assert.equal(rounds.pauseLeft(pod('a', start - 60_000)), 0);
  rounds.deleted(pod('a', start - 60_000), undefined);
  assert.equal(rounds.pauseLeft(pod('b', start - 1000)), 0);
  for (const pause of [10_000, 20_000, 40_000, 80_000]) {
    const next = pod(`after ${pause}`, clock.now());
    assert.equal(rounds.isReplacement(next), true);
    await clock.pass(400);
    assert.equal(rounds.pauseLeft(next), pause - 400);
    await clock.pass(pause - 400);
    assert.equal(rounds.pauseLeft(next), 0);
    rounds.deleted(next, undefined);
  }
});

test('all replacements of one round are due together, and deleting the first does not delay the others', async () => {
  const { clock, rounds, pod } = scene();
  rounds.deleted(pod('a', start - 1000), undefined);
  rounds.deleted(pod('b', start - 1000), undefined);
  const [first, second] = [pod('a-2', start + 1000), pod('b-2', start + 4000)];
  await clock.pass(10_000);
  rounds.deleted(first, undefined);
  assert.equal(rounds.pauseLeft(second), 0);
  assert.equal(rounds.pauseLeft(pod('a-3', start + 11_000)), 20_000);
});

test('the deletion time from the API server counts, whatever weeder’s clock shows', () => {
  const { rounds, pod } = scene();
  const skewed = start - 3_600_000;
  rounds.deleted(pod('a', skewed - 60_000), undefined);
  assert.equal(rounds.pauseLeft(pod('a-2', skewed + 300)), 0);
  rounds.dated('a', skewed + 200);
  assert.equal(rounds.pauseLeft(pod('a-2', skewed + 300)), 10_000);
  assert.equal(rounds.pauseLeft(pod('b', skewed - 1000)), 0);
});

test('pods of other owners, and pods of unknown owner or age, do not wait', () => {
  const { rounds, pod } = scene();
  rounds.deleted(pod('a', start - 1000), undefined);
  assert.equal(rounds.pauseLeft(pod('other', start + 1000, 'rs-2')), 0);
  assert.equal(rounds.pauseLeft(pod('old', undefined)), 0);
  assert.equal(rounds.pauseLeft({ ...pod('bare', start + 1000), owner: undefined }), 0);
});
