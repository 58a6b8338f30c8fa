import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scaledClock } from '../../src/index.ts';

const wait = (clock: ReturnType<typeof scaledClock>, delay: number) =>
  new Promise<void>((resolve) => void clock.setTimeout(resolve, delay));

/** Blocks the event loop for this many real milliseconds. */
function block(duration: number): void {
  const until = performance.now() + duration;
  while (performance.now() < until);
}

test('timers fire after their delay in scaled time, in the order of their times, and not before', async () => {
  const clock = scaledClock(50);
  const [from, wallClock, afterWallClock, real] = [
    clock.monotonic(),
    clock.now(),
    clock.monotonic(),
    performance.now(),
  ];
  const fired: number[] = [];
  const at = (delay: number) =>
    wait(clock, delay).then(() => {
      assert.ok(clock.monotonic() - from > delay - 50, 'at most one real millisecond early');
      fired.push(delay);
    });
  await Promise.all([at(3000), at(500), at(1500)]);
  assert.deepEqual(fired, [500, 1500, 3000]);
  assert.ok(performance.now() - real >= 59, 'time runs at most fifty times as fast');
  const [before, wallClockPassed, after] = [clock.monotonic(), clock.now() - wallClock, clock.monotonic()];
  assert.ok(before - afterWallClock <= wallClockPassed && wallClockPassed <= after - from, 'both clocks run alike');
});

test('the time in which the process is blocked is limited while a timer is pending', async () => {
  const clock = scaledClock(10);
  const from = clock.monotonic();
  const end = wait(clock, 1000);
  block(400);
  assert.ok(clock.monotonic() - from < 1000, '400 real milliseconds are not 4000');
  await end;
  assert.ok(clock.monotonic() - from >= 990);
});

test('a cleared timer does not fire, and without timers the time in which the process is blocked is not limited', async () => {
  const clock = scaledClock(10);
  let isFired = false;
  const handle = clock.setTimeout(() => {
    isFired = true;
  }, 100);
  await wait(clock, 50);
  clock.clearTimeout(handle);
  clock.clearTimeout(handle);
  await wait(clock, 100);
  assert.equal(isFired, false);
  const from = clock.monotonic();
  block(100);
  assert.ok(clock.monotonic() - from >= 1000);
});

test('timers run in the order of their due times, even if the process is blocked again and again', async () => {
  const clock = scaledClock(20);
  const order: { readonly earliest: number; readonly latest: number }[] = [];
  const ended = Array.from({ length: 300 }, async (_, index) => {
    const delay = 50 + ((index * 7919) % 3000);
    const earliest = clock.monotonic() + delay;
    const end = wait(clock, delay);
    const latest = clock.monotonic() + delay;
    await end;
    order.push({ earliest, latest });
    if (index % 10 === 0) block(9);
  });
  await Promise.all(ended);
  const overtaken = order.slice(1).filter(({ latest }, index) => latest < (order[index]?.earliest ?? 0));
  assert.deepEqual(overtaken, []);
});
