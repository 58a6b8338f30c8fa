import assert from 'node:assert/strict';
import { test } from 'node:test';
import { watchContent } from '../../src/config/watchContent.ts';
import { settled, virtualClock } from '../support/world/virtualClock.ts';

/** A content that a test changes, watched in simulated time: missing counts after 2 s, everything else after 300 ms. */
function watched(first = 'a') {
  const clock = virtualClock();
  const news: string[] = [];
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
    onNews: (text) => news.push(`${text}@${clock.monotonic()}`),
  });
  return {
    clock,
    watch,
    news,
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

test('a new content is told once, when it has stayed the same for a moment', async () => {
  const { clock, news, set } = watched();
  set('b');
  await clock.pass(399);
  assert.deepEqual(news, []);
  await clock.pass(60_000);
  assert.deepEqual(news, ['b@400']);
});

test('a content that is written piece by piece is told when it is whole', async () => {
  const { clock, news, set } = watched();
  for (const piece of ['', 'b', 'bb', 'bbb']) {
    set(piece);
    await clock.pass(250);
  }
  await clock.pass(60_000);
  assert.deepEqual(
    news.map((each) => each.split('@')[0]),
    ['bbb'],
  );
});

test('being touched is no news, and neither is a content that goes and comes back', async () => {
  const { clock, news, set } = watched();
  set('a');
  await clock.pass(1000);
  set('b');
  await clock.pass(200);
  set('a');
  await clock.pass(60_000);
  assert.deepEqual(news, []);
});

test('missing for a moment is no news; missing for good is told once, and so is what comes afterwards', async () => {
  const { clock, news, set } = watched();
  set('missing');
  await clock.pass(1500);
  set('a');
  await clock.pass(10_000);
  assert.deepEqual(news, []);
  set('missing');
  await clock.pass(600_000);
  assert.deepEqual(news, ['missing@13600']);
  set('a');
  await clock.pass(60_000);
  assert.deepEqual(news.slice(1), ['a@611900']);
});

test('where nothing tells of changes, a change is seen within the poll interval', async () => {
  const { clock, news, setUnnoticed } = watched();
  await clock.pass(15_000);
  setUnnoticed('b');
  await clock.pass(60_000);
  assert.deepEqual(news, ['b@20300']);
});

test('asked to look now, it takes what is there as it is, and says whether it was news', async () => {
  const { watch, news, setUnnoticed } = watched();
  assert.equal(await watch.lookNow(), false);
  setUnnoticed('b');
  assert.equal(await watch.lookNow(), true);
  assert.deepEqual(news, ['b@0']);
  assert.equal(await watch.lookNow(), false);
});

test('however much happens, there are ten looks a second at most, and when nothing does, one in ten seconds', async () => {
  const { clock, watch, reads } = watched();
  for (let ms = 0; ms < 1000; ms += 1) {
    watch.notice();
    await clock.pass(1);
  }
  assert.ok(reads() <= 10, `${reads()} looks`);
  await clock.pass(1000);
  const before = reads();
  await clock.pass(100_000);
  assert.equal(reads() - before, 10);
});

test('stopped, it looks no more and tells nothing', async () => {
  const { clock, watch, news, set, setUnnoticed } = watched();
  set('b');
  await clock.pass(200);
  setUnnoticed('c');
  const asked = watch.lookNow();
  watch.stop();
  watch.notice();
  assert.equal(await asked, false);
  await clock.pass(60_000);
  await settled();
  assert.deepEqual(news, []);
  assert.equal(clock.pending, 0);
});
