import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createActor } from 'xstate';
import { virtualClock } from '../../src/base/virtualClock.ts';
import type { KubeClient } from '../../src/client/client.ts';
import { provideReflector } from '../../src/watch/reflector.ts';
import type { WatchSource } from '../../src/watch/watchOnce.ts';
import { clientOf } from '../../testing/clientOf.ts';
import { testSink } from '../../testing/testSink.ts';
import { until } from '../../testing/until.ts';

/** Streams of a server without WatchList. It responds to a request when the function in `answers` is called. */
function pagedStreams(sources: readonly Pick<WatchSource, 'path' | 'isOptional'>[]) {
  const clock = virtualClock();
  const answers: { readonly path: string; readonly answer: () => void }[] = [];
  const list = {
    ok: true,
    status: 200,
    body: { kind: 'PodList', metadata: { resourceVersion: '7' }, items: [] },
  } as const;
  const call: KubeClient['call'] = ({ path }) =>
    new Promise((resolve) => answers.push({ path, answer: () => resolve(list) }));
  const refused = { ok: false, failure: { type: 'rejected', message: 'no WatchList', status: 400 } } as const;
  const streams = sources.map((source) => ({ ...source, kind: 'Pod', labelSelector: '', sink: testSink() }));
  const machine = provideReflector({
    client: { ...clientOf(call), openStream: async () => refused },
    clock,
    log: { debug: () => {}, info: () => {}, warn: () => {} },
    sourceOf: (name) => streams[Number(name)],
  });
  const actors = streams.map((_, index) =>
    createActor(machine, { clock, input: { name: `${index}`, random: () => 0.5 } }),
  );
  for (const actor of actors) actor.start();
  return {
    answers,
    isListed: (path: string) => streams.every((stream) => stream.path !== path || stream.sink.lists > 0),
    [Symbol.dispose]() {
      for (const actor of actors) actor.stop();
    },
  };
}

const eight = <T>(value: T): T[] => Array.from({ length: 8 }, () => value);

test('at most three pages are in memory at once, of the lists of all kinds together', async () => {
  const sources = [...eight({ path: '/pods' }), ...eight({ path: '/events', isOptional: true })];
  using it = pagedStreams(sources);
  let most = 0;
  await until('three pages are asked for', () => it.answers.length === 3);
  await until('all are listed', () => {
    most = Math.max(most, it.answers.length);
    it.answers.shift()?.answer();
    return it.isListed('/pods') && it.isListed('/events');
  });
  assert.equal(most, 3);
});

test('optional lists that hang do not delay those that weeder needs', async () => {
  using it = pagedStreams([...eight({ path: '/hangs', isOptional: true }), ...eight({ path: '/pods' })]);
  await until('the others are listed', () => {
    const index = it.answers.findIndex(({ path }) => path === '/pods');
    if (index >= 0) it.answers.splice(index, 1)[0]?.answer();
    return it.isListed('/pods');
  });
  assert.equal(it.isListed('/hangs'), false);
});
