import assert from 'node:assert/strict';
import { test } from 'node:test';
import { soonerRestart } from '../../src/weeder/deletions/deletionCost.ts';
import type { CrashLoopingPod } from '../../src/weeder/pods/crashLooping.ts';
import { crashLoopingPod } from '../support/objects/crashLoopingPod.ts';

const now = Date.UTC(2026, 0, 1, 12);
const policy = { barePods: 'keep', deletion: 'delete', gracePeriodSeconds: undefined } as const;

/** The wait for a pod with this many milliseconds left of a back-off of 80 s. */
function wait(left: number, part: Partial<CrashLoopingPod> = {}, gracePeriodSeconds?: number) {
  const pod = crashLoopingPod({ finishedAt: now + left - 80_000, ...part });
  const clock = { now: () => now, monotonic: () => 1_000_000 };
  const restart = soonerRestart(pod, { ...policy, gracePeriodSeconds }, clock);
  const isPending = restart !== undefined && restart.from <= 1_000_000 && 1_000_000 < restart.until;
  return isPending ? restart.until - 1_000_000 : 0;
}

const slow = { isReplacedAtOnce: false, stopsWithin: 60_000 };

test('the last seconds of a back-off are waited for, until its end is 15 s overdue', () => {
  assert.equal(wait(5_001), 0);
  assert.equal(wait(5_000), 20_000);
  assert.equal(wait(0), 15_000);
  assert.equal(wait(-14_999), 1);
  assert.equal(wait(-15_000), 0);
});

test('a container that takes longer to stop than its back-off lasts is not stopped', () => {
  assert.equal(wait(40_000, slow), 55_000);
  assert.equal(wait(70_000, slow), 0);
  assert.equal(wait(40_000, { ...slow, stopsWithin: 0 }), 0);
});

test('the grace period costs nothing if the controller replaces the pod while it is stopping', () => {
  assert.equal(wait(40_000, { ...slow, isReplacedAtOnce: true }), 0);
});

test('the configured grace period replaces the one of the pod', () => {
  assert.equal(wait(40_000, slow, 10), 0);
  assert.equal(wait(12_000, slow, 10), 27_000);
  assert.equal(wait(12_000, { ...slow, stopsWithin: 0 }, 10), 0);
});

test('there is no wait if the container’s finish time is unknown, or the clock of its node is wrong', () => {
  assert.equal(wait(0, { finishedAt: undefined }), 0);
  assert.equal(wait(3_600_000), 0);
  assert.equal(wait(-3_600_000), 0);
});
