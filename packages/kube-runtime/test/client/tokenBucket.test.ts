import assert from 'node:assert/strict';
import { test } from 'node:test';
import { virtualClock } from '../../src/base/virtualClock.ts';
import { createTokenBucket, type TokenBucket } from '../../src/queue/tokenBucket.ts';

/** Takes all available tokens. */
function drain(bucket: TokenBucket): number {
  let taken = 0;
  while (bucket.take()) taken += 1;
  return taken;
}

test('a token bucket provides its tokens, and refills up to its capacity', () => {
  const clock = virtualClock();
  const bucket = createTokenBucket(3, 2, clock);
  assert.equal(drain(bucket), 3);
  assert.equal(bucket.waitFor(1), 500);
  clock.advance(1_000);
  assert.equal(drain(bucket), 2);
  clock.advance(60_000);
  assert.equal(drain(bucket), 3);
});

test('a returned token is available again, and never exceeds the capacity', () => {
  const clock = virtualClock();
  const bucket = createTokenBucket(2, 1, clock);
  assert.equal(drain(bucket), 2);
  bucket.refund();
  assert.equal(drain(bucket), 1);
  clock.advance(60_000);
  bucket.refund();
  assert.equal(drain(bucket), 2);
});

test('a new size applies from now on: elapsed time counts at the old rate, and excess tokens are dropped', () => {
  const clock = virtualClock();
  const bucket = createTokenBucket(10, 1, clock);
  assert.equal(drain(bucket), 10);
  clock.advance(4_000);
  bucket.resize(20, 2);
  assert.equal(drain(bucket), 4);
  clock.advance(5_000);
  bucket.resize(3, 2);
  assert.equal(drain(bucket), 3);
});
