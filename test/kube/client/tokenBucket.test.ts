import assert from 'node:assert/strict';
import { test } from 'node:test';
import { virtualClock } from '../../../src/base/virtualClock.ts';
import { createTokenBucket, type TokenBucket } from '../../../src/queue/tokenBucket.ts';

/** Takes all there are. */
function drain(bucket: TokenBucket): number {
  let taken = 0;
  while (bucket.take()) taken += 1;
  return taken;
}

test('a token bucket gives what it holds, and gathers up to its capacity', () => {
  const clock = virtualClock();
  const bucket = createTokenBucket(3, 2, clock);
  assert.equal(drain(bucket), 3);
  assert.equal(bucket.waitFor(1), 500);
  clock.advance(1_000);
  assert.equal(drain(bucket), 2);
  clock.advance(60_000);
  assert.equal(drain(bucket), 3);
});

test('a token that was given back is there for the next, and never makes more than the capacity', () => {
  const clock = virtualClock();
  const bucket = createTokenBucket(2, 1, clock);
  assert.equal(drain(bucket), 2);
  bucket.putBack();
  assert.equal(drain(bucket), 1);
  clock.advance(60_000);
  bucket.putBack();
  assert.equal(drain(bucket), 2);
});

test('another size holds from now on: time that has passed counted by the old one, what is too much is gone', () => {
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
