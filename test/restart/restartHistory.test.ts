import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import {
  breakerBlocks,
  intervalEnds,
  isRevert,
  needsEviction,
  withNewest,
} from '../../src/restart/content/restartHistory.ts';

const minute = 60_000;
const now = Date.UTC(2026, 10, 21, 18);
/** Minutes before now, as times. */
const ago = (...minutes: readonly number[]) => minutes.map((each) => now - each * minute);

test('minInterval counts from the latest restart, whatever the order', () => {
  assert.equal(intervalEnds(ago(0.5, 30), minute, now), now + 0.5 * minute);
  assert.equal(intervalEnds(ago(30, 0.5), minute, now), now + 0.5 * minute);
  assert.equal(intervalEnds(ago(1), minute, now), undefined);
  assert.equal(intervalEnds(ago(0), 0, now), undefined);
  assert.equal(intervalEnds([], minute, now), undefined);
});

test('five restarts in ten minutes trip the breaker, until ten minutes after the last', () => {
  const restarts = ago(10, 7, 5, 3, 1);
  assert.deepEqual(breakerBlocks(restarts, now), { until: now + 9 * minute, because: restarts });
  assert.notEqual(breakerBlocks(restarts, now + 9 * minute - 1), undefined);
  assert.equal(breakerBlocks(restarts, now + 9 * minute), undefined);
});

test('four restarts, or five in more than ten minutes, do not trip it', () => {
  assert.equal(breakerBlocks(ago(4, 3, 2, 1), now), undefined);
  assert.equal(breakerBlocks(ago(11.1, 7, 5, 3, 1), now), undefined);
  assert.equal(breakerBlocks([], now), undefined);
});

test('after the breaker’s time one more restart does not trip it again', () => {
  const restarts = ago(14, 13, 12, 11, 10);
  assert.equal(breakerBlocks(restarts, now), undefined);
  assert.equal(breakerBlocks(withNewest(restarts, now, 5), now), undefined);
});

test('a restart time far in the future does not block restarts', () => {
  const year2099 = Date.UTC(2099, 0, 1);
  assert.equal(intervalEnds([year2099], minute, now), undefined);
  assert.equal(breakerBlocks(Array(5).fill(year2099), now), undefined);
  assert.equal(intervalEnds([now + 2_000], minute, now), now + 2_000 + minute, 'two clocks never agree to the second');
});

test('there are never more than five restarts in any ten minutes, however often the sources change', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 1, max: 4 * minute }), { maxLength: 100 }), (pauses) => {
      let [time, restarts] = [now, [] as readonly number[]];
      const times: number[] = [];
      for (const pause of pauses) {
        time += pause;
        if (breakerBlocks(restarts, time) !== undefined) continue;
        restarts = withNewest(restarts, time, 5);
        times.push(time);
      }
      for (const [index, first] of times.entries()) {
        assert.ok((times[index + 5] ?? Number.POSITIVE_INFINITY) - first >= 10 * minute);
      }
    }),
  );
});

test('only the newest times are stored, oldest first', () => {
  assert.deepEqual(withNewest([1, 2, 3, 4, 5], 6, 5), [2, 3, 4, 5, 6]);
  assert.deepEqual(withNewest([3], 1, 5), [1, 3]);
  assert.deepEqual(withNewest([], 7, 2), [7]);
});

test('a template that is reverted within a minute of the patch counts, and two reverts lead to evictions', () => {
  assert.equal(isRevert(now, now + 300), true);
  assert.equal(isRevert(now, now + minute), true);
  assert.equal(isRevert(now, now + minute + 1), false);
  assert.equal(needsEviction([]), false);
  assert.equal(needsEviction(ago(1)), false);
  assert.equal(needsEviction(ago(2, 1)), true);
});
