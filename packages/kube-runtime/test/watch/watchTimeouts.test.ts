import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createActor } from 'xstate';
import { virtualClock } from '../../src/base/virtualClock.ts';
import { createKubeClient } from '../../src/client/client.ts';
import { provideReflector } from '../../src/watch/reflector.ts';
import { createWatchTimeouts, type WatchTimeout } from '../../src/watch/watchTimeouts.ts';
import { isResumedWatch } from '../../testing/faultyServer.ts';
import { misbehavingServer } from '../../testing/misbehavingServer.ts';
import { accessTo } from '../../testing/reflecting.ts';
import { testSink } from '../../testing/testSink.ts';
import { until } from '../../testing/until.ts';

function begun(
  count: number,
  random = 0,
): { clock: ReturnType<typeof virtualClock>; watches: WatchTimeout[] } & {
  begin(): WatchTimeout;
} {
  const clock = virtualClock();
  const timeouts = createWatchTimeouts(clock);
  const begin = () => timeouts.begin(random);
  return { clock, begin, watches: Array.from({ length: count }, begin) };
}

test('the more watches there are, the longer each lasts, so that all together take one request a second', () => {
  const seconds = begun(2_000).watches.map((watch) => watch.seconds);
  assert.deepEqual(
    [1, 2, 15, 16, 100, 900, 901, 2_000].map((count) => seconds[count - 1]),
    [15, 15, 15, 16, 100, 900, 900, 900],
  );
  assert.deepEqual(
    begun(100, 0.99).watches.flatMap(({ seconds }, index) => (index % 33 === 0 ? [seconds] : [])),
    [20, 47, 93, 139],
  );
});

test('the watch that is opened after the short one has ended is the new short one', () => {
  const { clock, begin, watches } = begun(100);
  assert.equal(begin().seconds, 101);
  watches[0]?.ended();
  assert.equal(begin().seconds, 15);
  assert.equal(begin().seconds, 102);
  clock.advance(60_000);
  assert.deepEqual(
    watches.filter(({ reopen }) => reopen.aborted),
    [],
  );
});

test('the longest open watch is reopened if the short one does not return', () => {
  const { clock, watches } = begun(100);
  watches[0]?.ended();
  watches[1]?.ended();
  clock.advance(1_999);
  assert(watches.every(({ reopen }) => !reopen.aborted));
  clock.advance(1);
  assert.deepEqual(
    watches.filter(({ reopen }) => reopen.aborted),
    [watches[2]],
  );
});

test('all watches are reopened within a short time', () => {
  const clock = virtualClock();
  const timeouts = createWatchTimeouts(clock);
  const watches = Array.from({ length: 100 }, () => timeouts.begin(0));
  timeouts.reopenAll();
  const later = timeouts.begin(0);
  clock.advance(1_999);
  assert(watches.every(({ reopen }) => reopen.aborted));
  assert(!later.reopen.aborted);
});

test('watches that end before they are reopened leave no timer', () => {
  const clock = virtualClock();
  const timeouts = createWatchTimeouts(clock);
  const watches = Array.from({ length: 100 }, () => timeouts.begin(0));
  timeouts.reopenAll();
  assert.equal(clock.pending, 100);
  for (const watch of watches) watch.ended();
  assert.equal(clock.pending, 0);
});

test('watches with old credentials are reopened within 15 s after a change of credentials', () => {
  const { clock, begin, watches } = begun(100);
  for (const watch of watches) watch.openedOn(1);
  begin().openedOn(1);
  clock.advance(60_000);
  assert(watches.every(({ reopen }) => !reopen.aborted));
  const renewed = begin();
  renewed.openedOn(2);
  assert(
    watches.every(({ reopen }) => !reopen.aborted),
    'not all at once',
  );
  clock.advance(15_000);
  assert(watches.every(({ reopen }) => reopen.aborted));
  assert(!renewed.reopen.aborted);
});

test('when the last watch has ended, no timer is left that would keep the process alive', () => {
  const { clock, begin, watches } = begun(3);
  for (const watch of watches) watch.openedOn(1);
  const renewed = begin();
  renewed.openedOn(2);
  assert.equal(clock.pending, 3, 'the older ones will move');
  for (const watch of watches) watch.ended();
  assert.equal(clock.pending, 1, 'another watch may have to be the short one');
  renewed.ended();
  assert.equal(clock.pending, 0);
  assert.equal(begin().seconds, 15);
});

for (const protocol of ['http', 'h2'] as const) {
  test(`over ${protocol}, sixty streams take one request a second, and silence is detected within 30 s`, async () => {
    const clock = virtualClock();
    await using server = await misbehavingServer(protocol, clock);
    const client = createKubeClient({ userAgent: 'weeder/test', access: accessTo(server.url), clock });
    const sinks = new Map(Array.from({ length: 60 }, (_, index) => [`pods-${index}`, testSink()]));
    const lost: string[] = [];
    const note = (_event: object, sentence: string) => void lost.push(sentence);
    const machine = provideReflector({
      client,
      clock,
      log: { debug: () => undefined, info: () => undefined, warn: note },
      sourceOf: (name) => {
        const sink = sinks.get(name);
        return sink && { path: '/api/v1/pods', kind: 'Pod', labelSelector: 'app=a', sink };
      },
    });
    server.store.put('a');
    const actors = [...sinks.keys()].map((name) => createActor(machine, { clock, input: { name } }));
    for (const actor of actors) actor.start();
    const allHave = (object: string) => () => [...sinks.values()].every(({ state }) => state.has(object));
    await until('all are watching', () => server.requests.filter(isResumedWatch).length >= 60, clock, 0);

    // The first watches were opened when there were few.
    const spanMs = 60_000;
    await run(clock, spanMs);
    const before = server.requests.length;
    await run(clock, spanMs);
    const perSecond = (server.requests.length - before) / (spanMs / 1_000);
    assert(perSecond > 0.3 && perSecond < 1.5, `${perSecond} requests a second`);
    assert.deepEqual(lost, []);

    server.freeze();
    server.store.put('while-frozen');
    const frozenAt = clock.monotonic();
    await until('all have received the change', allHave('while-frozen'), clock);
    assert(clock.monotonic() - frozenAt <= 30_000, `took ${clock.monotonic() - frozenAt} ms`);
    assert([...sinks.values()].every(({ lists }) => lists === 1));
    for (const actor of actors) actor.stop();
    await client.close();
  });
}

async function run(clock: ReturnType<typeof virtualClock>, ms: number): Promise<void> {
  const end = clock.monotonic() + ms;
  await until('the time has passed', () => clock.monotonic() >= end, clock, 100);
}
