import assert from 'node:assert/strict';
import { test } from 'node:test';
import { virtualClock } from '../../src/base/virtualClock.ts';
import { rateLimiter } from '../../src/client/rateLimit.ts';

test('a burst is admitted immediately, the rest one by one at the configured rate, first come first served', async () => {
  const clock = virtualClock();
  const limiter = rateLimiter(5, 3, clock);
  const admitted: string[] = [];
  for (let i = 0; i < 7; i += 1) void limiter.take().then(() => admitted.push(`${i}@${clock.monotonic()}`));
  for (let at = 0; at < 1_000; at += 10) {
    await new Promise(setImmediate);
    clock.advance(10);
  }
  assert.deepEqual(admitted, ['0@0', '1@0', '2@0', '3@200', '4@400', '5@600', '6@800']);
});

test('an aborted waiter is skipped and uses no token', async () => {
  const clock = virtualClock();
  const limiter = rateLimiter(1, 1, clock);
  assert.equal(await limiter.take(), true);
  const stop = new AbortController();
  const aborted = limiter.take(stop.signal);
  const patient = limiter.take();
  stop.abort();
  assert.equal(await aborted, false);
  clock.advance(1_000);
  assert.equal(await patient, true);
  assert.equal(await limiter.take(AbortSignal.abort()), false);
});

test('without a rate nothing waits', async () => {
  const limiter = rateLimiter(0, 0, virtualClock());
  const results = await Promise.all(Array.from({ length: 1_000 }, () => limiter.take()));
  assert(results.every(Boolean));
});

test('a later waiter does not overtake, even if the timer is late', async () => {
  const clock = virtualClock();
  const limiter = rateLimiter(1, 1, clock);
  await limiter.take();
  const admitted: string[] = [];
  void limiter.take().then(() => admitted.push('first'));
  clock.suspend(1_500);
  void limiter.take().then(() => admitted.push('second'));
  await new Promise(setImmediate);
  clock.advance(2_000);
  await new Promise(setImmediate);
  assert.deepEqual(admitted, ['first', 'second']);
});

test('the last rank waits until no other waits and the bucket is full again', async () => {
  const clock = virtualClock();
  const limiter = rateLimiter(5, 3, clock);
  const admitted: string[] = [];
  const take = (name: string, rank: 'usual' | 'last') =>
    void limiter.take(undefined, rank).then(() => admitted.push(`${name}@${clock.monotonic()}`));
  take('event', 'last');
  take('next event', 'last');
  for (const name of ['a', 'b', 'c', 'd']) take(name, 'usual');
  await clock.pass(2_000);
  assert.deepEqual(admitted, ['event@0', 'a@0', 'b@0', 'c@200', 'd@400', 'next event@1000']);
});

test('callers after a queue of the last rank lose at most one token', async () => {
  const clock = virtualClock();
  const limiter = rateLimiter(1, 10, clock);
  const admitted: number[] = [];
  for (let i = 0; i < 100; i += 1) void limiter.take(undefined, 'last');
  await clock.pass(20_500);
  for (let i = 0; i < 10; i += 1) void limiter.take().then(() => admitted.push(clock.monotonic()));
  await clock.pass(0);
  assert.equal(admitted.length, 9);
  await clock.pass(500);
  assert.equal(admitted.length, 10);
});

test('a closed limiter ends all waits and leaves no timer', async () => {
  const clock = virtualClock();
  const limiter = rateLimiter(1, 2, clock);
  assert.equal(await limiter.take(), true);
  const waiting = [limiter.take(undefined, 'last'), limiter.take(undefined, 'last')];
  assert.equal(clock.pending, 1);
  limiter.close();
  assert.deepEqual(await Promise.all(waiting), [false, false]);
  assert.equal(await limiter.take(), false);
  assert.equal(clock.pending, 0);
});
