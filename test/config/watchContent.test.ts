import assert from 'node:assert/strict';
import { test } from 'node:test';
import { settled, virtualClock } from '@weeder/kube-runtime/testing';
import { watchContent } from '../../src/config/watchContent.ts';

/** A content that a test changes, watched in simulated time: missing counts after 2 s, everything else after 300 ms. */
function watched(first = 'a') {
  const clock = virtualClock();
  const reported: string[] = [];
  let content = first;
  let reads = 0;
  const watch = watchContent({
    clock,
    read: async () => {
      reads += 1;
      return content;
    },
    keyOf: (text) => text,
    settleTime: (text) => (text === 'missing' ? 2000 : 300),
    pollInterval: 10_000,
    known: first,
    onChange: (text) => reported.push(`${text}@${clock.monotonic()}`),
  });
  return {
    clock,
    watch,
    reported,
    reads: () => reads,
    set(text: string) {
      content = text;
      watch.notice();
    },
    setUnnoticed(text: string) {
      content = text;
    },
  };
}

test('new content is reported once, after it was stable for a moment', async () => {
  const { clock, reported, set } = watched();
  set('b');
  await clock.pass(399);
  assert.deepEqual(reported, []);
  await clock.pass(60_000);
  assert.deepEqual(reported, ['b@400']);
});

test('content that is written in pieces is reported when it is complete', async () => {
  const { clock, reported, set } = watched();
  for (const piece of ['', 'b', 'bb', 'bbb']) {
    set(piece);
    await clock.pass(250);
  }
  await clock.pass(60_000);
  assert.deepEqual(
    reported.map((each) => each.split('@')[0]),
    ['bbb'],
  );
});

test('touching the file is not reported, and neither is content that changes and changes back', async () => {
  const { clock, reported, set } = watched();
  set('a');
  await clock.pass(1000);
  set('b');
  await clock.pass(200);
  set('a');
  await clock.pass(60_000);
  assert.deepEqual(reported, []);
});

test('content that is briefly missing is not reported; permanently missing is reported once, and so is its return', async () => {
  const { clock, reported, set } = watched();
  set('missing');
  await clock.pass(1500);
  set('a');
  await clock.pass(10_000);
  assert.deepEqual(reported, []);
  set('missing');
  await clock.pass(600_000);
  assert.deepEqual(reported, ['missing@13600']);
  set('a');
  await clock.pass(60_000);
  assert.deepEqual(reported.slice(1), ['a@611900']);
});

test('without notifications a change is found within the poll interval', async () => {
  const { clock, reported, setUnnoticed } = watched();
  await clock.pass(15_000);
  setUnnoticed('b');
  await clock.pass(60_000);
  assert.deepEqual(reported, ['b@20300']);
});

test('readNow() reports the current content immediately, and returns whether it was new', async () => {
  const { watch, reported, setUnnoticed } = watched();
  assert.equal(await watch.readNow(), false);
  setUnnoticed('b');
  assert.equal(await watch.readNow(), true);
  assert.deepEqual(reported, ['b@0']);
  assert.equal(await watch.readNow(), false);
});

test('there are at most ten reads a second, and without events one in ten seconds', async () => {
  const { clock, watch, reads } = watched();
  for (let ms = 0; ms < 1000; ms += 1) {
    watch.notice();
    await clock.pass(1);
  }
  assert.ok(reads() <= 10, `${reads()} reads`);
  await clock.pass(1000);
  const before = reads();
  await clock.pass(100_000);
  assert.equal(reads() - before, 10);
});

test('after stop() nothing is read or reported', async () => {
  const { clock, watch, reported, set, setUnnoticed } = watched();
  set('b');
  await clock.pass(200);
  setUnnoticed('c');
  const changed = watch.readNow();
  watch.stop();
  watch.notice();
  assert.equal(await changed, false);
  await clock.pass(60_000);
  await settled();
  assert.deepEqual(reported, []);
  assert.equal(clock.pending, 0);
});
