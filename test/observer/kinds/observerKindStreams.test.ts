import assert from 'node:assert/strict';
import { test } from 'node:test';
import { virtualClock } from '@weeder/kube-runtime/testing';
import { createKindStreams } from '../../../src/observer/kinds/kindStreams.ts';

function scene() {
  const clock = virtualClock();
  const nothing = () => undefined;
  return {
    clock,
    streams: createKindStreams({ clock, onKindChanged: nothing, onChanged: nothing, onClosed: nothing }),
  };
}

test('the streams of definitions are open while a kind is awaited, and for a minute afterwards', () => {
  const { clock, streams } = scene();
  assert.equal(streams.needs.size, 0);
  streams.await(true);
  assert.equal(streams.needs.size, 2);
  streams.await(false);
  clock.advance(59_000);
  assert.equal(streams.needs.size, 2);
  clock.advance(1_000);
  assert.equal(streams.needs.size, 0);
});

test('after stop() no timer keeps the process alive, even if the last waiter ends later', () => {
  const { clock, streams } = scene();
  streams.await(true);
  streams.await(false);
  streams.stop();
  assert.equal(clock.pending, 0);
  streams.await(false);
  assert.equal(clock.pending, 0);
});
