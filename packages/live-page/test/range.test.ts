import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createShownRange, fittedTo } from '../src/timeline/range.ts';

const minute = 60_000;
const hour = 60 * minute;

/** A range of the hour before `now`, in which something happened `since` minutes ago; `at` gives it in minutes. */
function shown(since: number | undefined) {
  const clock = { now: 2 * hour };
  const range = createShownRange(() => {
    const whole = { from: clock.now - hour, to: clock.now };
    return { whole, fitted: fittedTo(whole, since === undefined ? undefined : 2 * hour - since * minute) };
  });
  const at = () => Object.values(range.get()).map((t) => (t - 2 * hour) / minute);
  return { clock, range, at };
}

test('the range begins shortly before what happened first, and grows with the time', () => {
  const { clock, at } = shown(10);
  assert.deepEqual(at(), [-10.3, 0]);
  clock.now += 10 * minute;
  assert.deepEqual(at(), [-10.6, 10]);
});

test('without events, and with an earlier one, it is the whole hour; it has at least 15 seconds', () => {
  assert.deepEqual(shown(undefined).at(), [-60, 0]);
  assert.deepEqual(shown(90).at(), [-60, 0]);
  assert.deepEqual(shown(0.01).at(), [-0.25, 0]);
});

test('a zoom keeps the time under the pointer, and from the keys the end that follows the time', () => {
  const { clock, range, at } = shown(undefined);
  range.zoom(0.5, 0.25);
  assert.deepEqual(at(), [-52.5, -22.5]);
  clock.now += minute;
  assert.deepEqual(at(), [-52.5, -22.5], 'it does not follow the time');
  range.fit();
  range.zoom(0.5);
  assert.deepEqual(at(), [-29, 1]);
  clock.now += minute;
  assert.deepEqual(at(), [-28, 2]);
});

test('it is neither moved nor zoomed beyond what is known', () => {
  const { range, at } = shown(undefined);
  range.zoom(4);
  assert.deepEqual(at(), [-60, 0]);
  range.show({ from: 1.5 * hour, to: 1.75 * hour });
  assert.deepEqual(at(), [-30, -15]);
  range.move(-9);
  assert.deepEqual(at(), [-60, -45]);
  range.move(9);
  assert.deepEqual(at(), [-15, 0]);
  for (let n = 0; n < 20; n += 1) range.zoom(0.5);
  assert.deepEqual(at(), [-0.25, 0]);
});
