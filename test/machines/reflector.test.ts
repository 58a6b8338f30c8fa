import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ReflectorEvent, reflector, type StreamInput } from '@weeder/kube-runtime/machines';
import { virtualClock } from '@weeder/kube-runtime/testing';
import { createActor, fromCallback, setup } from 'xstate';

/** The machine with streams under the test's control, and a virtual clock. */
function reflecting(random = 1) {
  const clock = virtualClock();
  const opened: (StreamInput & { readonly at: number })[] = [];
  let send: (event: ReflectorEvent) => void = () => undefined;
  const nothing = () => undefined;
  const machine = reflector.provide({
    actors: {
      stream: fromCallback<ReflectorEvent, StreamInput>(({ input, sendBack }) => {
        opened.push({ ...input, at: clock.monotonic() });
        send = sendBack;
      }),
    },
    actions: {
      reportOpened: nothing,
      reportSynced: nothing,
      reportEnded: nothing,
      reportLost: nothing,
      reportExpired: nothing,
      reportRewound: nothing,
      reportSilent: nothing,
      reportUnsupported: nothing,
    },
  });
  const actor = createActor(machine, { clock, input: { name: 'pods', random: () => random } });
  actor.start();
  return {
    clock,
    actor,
    opened,
    last: () => opened.at(-1),
    send: (event: ReflectorEvent) => send(event),
    state: () => actor.getSnapshot().value,
    /** The duration of the current wait, in milliseconds. */
    wait() {
      const before = opened.length;
      const start = clock.monotonic();
      while (opened.length === before && clock.monotonic() - start < 10 * 60_000) clock.advance(10);
      return clock.monotonic() - start;
    },
  };
}

test('the reflector lists first, and watches once the list is complete', () => {
  const it = reflecting();
  assert.deepEqual(it.state(), { connected: 'listing' });
  assert.equal(it.last()?.resourceVersion, undefined);
  assert.equal(it.last()?.initial, 'stream');
  it.send({ type: 'stream.opened' });
  assert.deepEqual(it.state(), { connected: 'listing' });
  it.send({ type: 'stream.synced', resourceVersion: '7', objects: 3 });
  assert.deepEqual(it.state(), { connected: 'watching' });
});

test('a watch that ends normally is followed at once by the next, from its last position', () => {
  const it = reflecting();
  it.send({ type: 'stream.synced', resourceVersion: '7' });
  it.send({ type: 'stream.ended', resourceVersion: '9', livedMs: 17_000 });
  assert.deepEqual(it.state(), { connected: 'watching' });
  assert.equal(it.opened.length, 2);
  assert.equal(it.last()?.resourceVersion, '9');
  assert.equal(it.clock.monotonic(), 0);
});

test('a watch that ends right after it was opened is reopened with growing pauses', () => {
  const it = reflecting();
  it.send({ type: 'stream.synced', resourceVersion: '7' });
  const waits = Array.from({ length: 8 }, () => {
    it.send({ type: 'stream.ended', resourceVersion: '7', livedMs: 3 });
    assert.equal(it.state(), 'backingOff');
    return it.wait();
  });
  assert.deepEqual(waits, [200, 400, 800, 1_600, 3_200, 6_400, 10_000, 10_000]);
});

test('lost streams are reopened after growing pauses with jitter, until a stream is stable', () => {
  for (const [random, expected] of [
    [0, [100, 200, 400]],
    [1, [200, 400, 800]],
  ] as const) {
    const it = reflecting(random);
    const lose = (livedMs: number) => {
      it.send({ type: 'stream.failed', kind: 'network', livedMs });
      return it.wait();
    };
    assert.deepEqual([lose(0), lose(0), lose(4_999)], expected);
    assert.equal(lose(5_000), expected[0]);
    for (let i = 0; i < 40; i += 1) lose(0);
    assert.equal(lose(0), random === 1 ? 30_000 : 15_000);
  }
});

test('Retry-After is respected if it is longer, up to a limit', () => {
  const it = reflecting();
  it.send({ type: 'stream.failed', retryAfterMs: 12_000 });
  assert.equal(it.wait(), 12_000);
  it.send({ type: 'stream.failed', retryAfterMs: 1 });
  assert.equal(it.wait(), 400);
  it.send({ type: 'stream.failed', retryAfterMs: 1e12 });
  assert.equal(it.wait(), 300_000);
});

test('a lost stream resumes at its last position', () => {
  const it = reflecting();
  it.send({ type: 'stream.synced', resourceVersion: '7' });
  it.send({ type: 'stream.silent', resourceVersion: '8', livedMs: 21_000 });
  it.wait();
  assert.deepEqual([it.last()?.resourceVersion, it.state()], ['8', { connected: 'watching' }]);
});

test('a 410 discards the position and leads to a list at once; a second 410 in a row leads to a pause', () => {
  const it = reflecting();
  it.send({ type: 'stream.synced', resourceVersion: '7' });
  for (let i = 0; i < 9; i += 1) {
    it.send({ type: 'stream.failed', resourceVersion: '7' });
    it.wait();
  }
  it.send({ type: 'stream.expired', resourceVersion: '7' });
  assert.deepEqual(it.state(), { connected: 'listing' });
  assert.equal(it.last()?.resourceVersion, undefined);
  it.send({ type: 'stream.synced', resourceVersion: '9' });
  it.send({ type: 'stream.expired', resourceVersion: '9', livedMs: 10 });
  assert.equal(it.state(), 'backingOff');
  assert.equal(it.wait(), 400);
  it.send({ type: 'stream.synced', resourceVersion: '10' });
  it.send({ type: 'stream.ended', resourceVersion: '11', livedMs: 17_000 });
  it.send({ type: 'stream.expired', resourceVersion: '11' });
  assert.deepEqual(it.state(), { connected: 'listing' });
});

test('a server that went back leads to a list at once, and again and again to growing pauses', () => {
  const it = reflecting();
  it.send({ type: 'stream.synced', resourceVersion: '70' });
  it.send({ type: 'stream.rewound', livedMs: 17_000 });
  assert.deepEqual(it.state(), { connected: 'listing' });
  assert.deepEqual([it.last()?.resourceVersion, it.last()?.seenVersion], [undefined, undefined]);
  const waits = Array.from({ length: 10 }, () => {
    it.send({ type: 'stream.synced', resourceVersion: '70' });
    it.send({ type: 'stream.rewound', livedMs: 17_000 });
    assert.equal(it.state(), 'backingOff');
    return it.wait();
  });
  assert.deepEqual(waits.slice(0, 3), [400, 800, 1_600]);
  assert.equal(waits.at(-1), 30_000);
  it.send({ type: 'stream.synced', resourceVersion: '8' });
  it.send({ type: 'stream.verified' });
  it.send({ type: 'stream.rewound' });
  assert.deepEqual(it.state(), { connected: 'listing' });
});

test('a position is doubtful after a loss and after a watch that delivered nothing, until it is verified', () => {
  const it = reflecting();
  it.send({ type: 'stream.synced', resourceVersion: '7' });
  it.send({ type: 'stream.ended', resourceVersion: '7', livedMs: 17_000, isDoubtful: false });
  assert.equal(it.last()?.isDoubtful, false);
  it.send({ type: 'stream.ended', resourceVersion: '7', livedMs: 17_000, isDoubtful: true });
  assert.equal(it.last()?.isDoubtful, true);
  it.send({ type: 'stream.ended', resourceVersion: '7', livedMs: 17_000, isDoubtful: false });
  assert.equal(it.last()?.isDoubtful, true, 'nothing has verified it');
  it.send({ type: 'stream.verified' });
  it.send({ type: 'stream.ended', resourceVersion: '7', livedMs: 17_000, isDoubtful: false });
  assert.equal(it.last()?.isDoubtful, false);
  it.send({ type: 'stream.failed', resourceVersion: '7' });
  it.wait();
  assert.equal(it.last()?.isDoubtful, true);
});

test('the newest position outlives its expiry, because the list that follows cannot be older', () => {
  const it = reflecting();
  it.send({ type: 'stream.synced', resourceVersion: '7' });
  it.send({ type: 'stream.expired', resourceVersion: '9' });
  const { resourceVersion, seenVersion, isDoubtful } = it.last() ?? assert.fail();
  assert.deepEqual([resourceVersion, seenVersion, isDoubtful], [undefined, '9', false]);
});

test('an unreadable event is resumed from once; at the same position again it leads to a list', () => {
  const it = reflecting();
  it.send({ type: 'stream.synced', resourceVersion: '7' });
  for (const [at, next] of [
    ['7', '7'],
    ['8', '8'],
    ['8', undefined],
  ] as const) {
    it.send({ type: 'stream.garbled', resourceVersion: at });
    it.wait();
    assert.equal(it.last()?.resourceVersion, next, at);
  }
});

test('a server without WatchList is listed in pages, and the next list tries WatchList again', () => {
  const it = reflecting();
  it.send({ type: 'stream.unsupported' });
  assert.deepEqual([it.last()?.initial, it.state()], ['pages', { connected: 'listing' }]);
  it.send({ type: 'stream.failed' });
  it.wait();
  assert.equal(it.last()?.initial, 'pages');
  it.send({ type: 'stream.synced', resourceVersion: '7' });
  it.send({ type: 'stream.expired', livedMs: 20_000 });
  assert.equal(it.last()?.initial, 'stream');
});

test('a stream that throws starts over with a list', () => {
  const clock = virtualClock();
  const positions: (string | undefined)[] = [];
  const lost: string[] = [];
  const machine = reflector.provide({
    actors: {
      stream: fromCallback<ReflectorEvent, StreamInput>(({ input, sendBack }) => {
        positions.push(input.resourceVersion);
        if (positions.length === 1) {
          sendBack({ type: 'stream.synced', resourceVersion: '7' });
          sendBack({ type: 'stream.ended', resourceVersion: '8', livedMs: 17_000 });
        } else if (positions.length === 2) {
          throw new Error('a defect');
        }
      }),
    },
    actions: { reportSynced: () => undefined, reportEnded: () => undefined, reportLost: () => void lost.push('lost') },
  });
  const actor = createActor(machine, { clock });
  actor.start();
  clock.advance(60_000);
  assert.deepEqual(
    [positions, lost, actor.getSnapshot().status],
    [['', '8', undefined].map((each) => each || undefined), ['lost'], 'active'],
  );
});

test('the parent is notified of the first complete list only', () => {
  const clock = virtualClock();
  const notified: string[] = [];
  const child = reflector.provide({
    actors: {
      stream: fromCallback<ReflectorEvent, StreamInput>(({ sendBack }) => {
        sendBack({ type: 'stream.synced', resourceVersion: '7' });
        const timer = clock.setTimeout(() => sendBack({ type: 'stream.expired', livedMs: 20_000 }), 1_000);
        return () => clock.clearTimeout(timer);
      }),
    },
    actions: { reportSynced: () => undefined, reportExpired: () => undefined },
  });
  const parent = setup({ actors: { child } }).createMachine({
    invoke: { id: 'child', src: 'child', input: { name: 'pods' } },
    on: { 'reflector.synced': { actions: ({ event }) => notified.push(event['name']) } },
  });
  createActor(parent, { clock }).start();
  clock.advance(10_000);
  assert.deepEqual(notified, ['pods']);
});
