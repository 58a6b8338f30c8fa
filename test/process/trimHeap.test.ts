import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getHeapStatistics } from 'node:v8';
import { virtualClock } from '@weeder/kube-runtime/testing';
import { type Heap, processHeap, trimWhenIdle } from '../../src/process/trimHeap.ts';

const second = 1_000;

/** A process in virtual time: its memory, and the share of a core that it uses. */
function scene() {
  const clock = virtualClock();
  const state = { rss: 200, share: 0, trims: [] as number[] };
  let [cpu, measuredAt] = [0, clock.monotonic()];
  const heap: Heap = {
    cpu() {
      cpu += (clock.monotonic() - measuredAt) * state.share;
      measuredAt = clock.monotonic();
      return cpu;
    },
    rss: () => state.rss,
    trim() {
      state.trims.push(clock.monotonic());
      state.rss = Math.min(state.rss, 110);
    },
  };
  const stop = trimWhenIdle(clock, heap);
  return { clock, state, stop };
}

test('a process that becomes idle is trimmed once, and not again while it stays idle', async () => {
  const { clock, state, stop } = scene();
  state.share = 0.8;
  await clock.pass(60 * second);
  assert.deepEqual(state.trims.length, 0, 'it was busy');
  state.share = 0.002;
  await clock.pass(20 * second);
  assert.equal(state.trims.length, 1);
  state.rss += 15;
  await clock.pass(3_600 * second);
  assert.equal(state.trims.length, 1);
  stop();
});

test('a process that has grown since is trimmed again when it is idle, and at most once a minute', async () => {
  const { clock, state, stop } = scene();
  await clock.pass(10 * second);
  assert.equal(state.trims.length, 1);
  const [first = 0] = state.trims;
  state.rss = 200;
  await clock.pass(59 * second);
  assert.equal(state.trims.length, 1);
  await clock.pass(second);
  assert.deepEqual(state.trims, [first, first + 60 * second]);
  state.rss = 200;
  state.share = 0.3;
  await clock.pass(300 * second);
  assert.equal(state.trims.length, 2, 'it was busy');
  state.share = 0;
  await clock.pass(20 * second);
  assert.equal(state.trims.length, 3);
  stop();
});

test('after stop() nothing is trimmed', async () => {
  const { clock, state, stop } = scene();
  stop();
  await clock.pass(60 * second);
  assert.equal(state.trims.length, 0);
});

test('a trim returns the pages of garbage to the operating system', () => {
  let garbage: unknown[] | undefined = Array.from({ length: 500_000 }, (_, index) => ({ index, text: `${index}` }));
  assert.equal(garbage.length, 500_000);
  const before = getHeapStatistics().total_heap_size;
  garbage = undefined;
  processHeap.trim();
  const freed = (before - getHeapStatistics().total_heap_size) / 2 ** 20;
  assert.ok(freed > 15, `${freed} MiB`);
  assert.equal('gc' in globalThis, false);
  assert.ok(processHeap.rss() > 10 && processHeap.cpu() > 0);
});
