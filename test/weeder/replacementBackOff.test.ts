import assert from 'node:assert/strict';
import { test } from 'node:test';
import { virtualClock } from '@weeder/kube-runtime/testing';
import { createReplacementBackOff } from '../../src/weeder/deletions/replacementBackOff.ts';
import type { CrashLoopingPod } from '../../src/weeder/pods/crashLooping.ts';
import { crashLoopingPod } from '../support/objects/crashLoopingPod.ts';

const start = Date.UTC(2026, 0, 1, 12);

function scene() {
  const clock = virtualClock(start);
  const backOff = createReplacementBackOff(clock);
  const pod = (uid: string, createdAt: number | undefined, owner: string | undefined = 'rs-1') =>
    crashLoopingPod({ uid, createdAt, owner });
  const pauseLeft = (of: CrashLoopingPod) => Math.max(0, backOff.dueAt(of) - clock.monotonic());
  return { clock, backOff, pod, pauseLeft };
}

test('pods from before the first deletion do not wait, their replacements wait 10, 20, 40 s', async () => {
  const { clock, backOff, pod, pauseLeft } = scene();
  assert.equal(pauseLeft(pod('a', start - 60_000)), 0);
  backOff.deleted(pod('a', start - 60_000), undefined);
  assert.equal(pauseLeft(pod('b', start - 1000)), 0);
  for (const pause of [10_000, 20_000, 40_000, 80_000]) {
    const next = pod(`after ${pause}`, clock.now());
    assert.equal(backOff.isReplacement(next, 0), true);
    await clock.pass(400);
    assert.equal(pauseLeft(next), pause - 400);
    await clock.pass(pause - 400);
    assert.equal(pauseLeft(next), 0);
    backOff.deleted(next, undefined);
  }
});

test('all replacements of one round are due together, and deleting the first does not delay the others', async () => {
  const { clock, backOff, pod, pauseLeft } = scene();
  backOff.deleted(pod('a', start - 1000), undefined);
  backOff.deleted(pod('b', start - 1000), undefined);
  const [first, second] = [pod('a-2', start + 1000), pod('b-2', start + 4000)];
  await clock.pass(10_000);
  backOff.deleted(first, undefined);
  assert.equal(pauseLeft(second), 0);
  assert.equal(pauseLeft(pod('a-3', start + 11_000)), 20_000);
});

test('the deletion time from the API server counts, whatever weeder’s clock shows', () => {
  const { backOff, pod, pauseLeft } = scene();
  const skewed = start - 3_600_000;
  backOff.deleted(pod('a', skewed - 60_000), undefined);
  assert.equal(pauseLeft(pod('a-2', skewed + 300)), 0);
  backOff.dated(pod('a', skewed - 60_000), skewed + 200);
  assert.equal(pauseLeft(pod('a-2', skewed + 300)), 10_000);
  assert.equal(pauseLeft(pod('b', skewed - 1000)), 0);
});

test('pods of other owners, and pods of unknown owner or age, do not wait', () => {
  const { backOff, pod, pauseLeft } = scene();
  backOff.deleted(pod('a', start - 1000), undefined);
  assert.equal(pauseLeft(pod('other', start + 1000, 'rs-2')), 0);
  assert.equal(pauseLeft(pod('old', undefined)), 0);
  assert.equal(pauseLeft({ ...pod('bare', start + 1000), owner: undefined }), 0);
});

test('no pause is longer than five minutes, and after ten minutes without a deletion the rounds begin again', async () => {
  const { clock, backOff, pod, pauseLeft } = scene();
  backOff.deleted(pod('a', start - 1000), undefined);
  for (let round = 1; round <= 12; round += 1) {
    const next = pod(`after ${round}`, clock.now());
    assert.equal(pauseLeft(next), Math.min(300_000, 10_000 * 2 ** (round - 1)));
    await clock.pass(pauseLeft(next));
    backOff.deleted(next, undefined);
  }
  const last = pod('last', clock.now());
  await clock.pass(599_999);
  assert.equal(backOff.isReplacement(last, 0), true);
  await clock.pass(1);
  assert.equal(backOff.isReplacement(last, 0), false);
  backOff.deleted(last, undefined);
  assert.equal(pauseLeft(pod('next', clock.now())), 10_000);
});

test('a pod replaces one that was deleted in the same window, if that was not before the window opened', async () => {
  const { clock, backOff, pod } = scene();
  backOff.deleted(pod('a', start - 1000), undefined);
  await clock.pass(20_000);
  const next = pod('a-2', start + 1000);
  assert.equal(backOff.isReplacement(next, clock.monotonic()), false);
  assert.equal(backOff.isReplacement(next, clock.monotonic() - 20_000), true);
});
