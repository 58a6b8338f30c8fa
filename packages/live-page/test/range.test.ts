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

test('its text leads to the same range, in another browser too, and another text to what there is', () => {
  const { clock, range } = shown(10);
  assert.equal(range.text(), '');
  range.zoom(0.5);
  const [following, until] = [range.text(), range.get()];
  assert.equal(following, '309s');
  range.move(-2);
  const [fixed, moved] = [range.text(), range.get()];
  assert.equal(fixed, '1970-01-01T01:44:33.000Z/1970-01-01T01:49:42.000Z');
  const { clock: other, range: copy } = shown(30);
  copy.read(fixed);
  other.now += minute;
  assert.deepEqual(copy.get(), moved);
  copy.read(following);
  assert.deepEqual(copy.get(), { from: until.from + minute, to: until.to + minute });
  copy.read('0000-01-01T00:00:00Z/9999-01-01T00:00:00Z');
  assert.deepEqual(copy.get(), { from: other.now - hour, to: other.now }, 'not longer than what is known, nor later');
  for (const text of ['', 'x', '2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z/2025-01-01T00:00:00Z', '-5s']) {
    range.read(text);
    assert.equal(range.get().from, clock.now - 10.3 * minute, text);
  }
});

test('a zoom at the end follows the time also if the time advances meanwhile', () => {
  let now = 2 * hour;
  const range = createShownRange(() => {
    now += 1;
    return { whole: { from: now - hour, to: now }, fitted: { from: now - hour, to: now } };
  });
  range.zoom(0.5);
  assert.equal(range.text(), '1800s');
});

test('a zoom from the keys follows the time, whatever fractions of a millisecond the times have', () => {
  const now = Date.UTC(2026, 10, 21, 14, 3, 7);
  for (let step = 0; step < 200; step += 1) {
    const to = now + step * 0.137;
    const whole = { from: to - hour, to };
    const range = createShownRange(() => ({ whole, fitted: fittedTo(whole, now - 50 * minute - step * 0.011) }));
    range.zoom(0.5);
    assert.match(range.text(), /s$/, `step ${step}`);
  }
});
