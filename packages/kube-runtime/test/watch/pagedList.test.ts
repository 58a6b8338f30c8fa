import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createActor } from 'xstate';
import { virtualClock } from '../../src/base/virtualClock.ts';
import type { KubeClient } from '../../src/client/client.ts';
import { provideReflector } from '../../src/watch/reflector.ts';
import { clientOf } from '../../testing/clientOf.ts';
import { testSink } from '../../testing/testSink.ts';
import { until } from '../../testing/until.ts';

test('at most three pages are in memory at once, of the lists of all kinds together', async () => {
  const clock = virtualClock();
  const answers: (() => void)[] = [];
  let most = 0;
  const list = {
    ok: true,
    status: 200,
    body: { kind: 'PodList', metadata: { resourceVersion: '7' }, items: [] },
  } as const;
  const call: KubeClient['call'] = () =>
    new Promise((resolve) => {
      answers.push(() => resolve(list));
      most = Math.max(most, answers.length);
    });
  const refused = { ok: false, failure: { type: 'rejected', message: 'no WatchList', status: 400 } } as const;
  const client = { ...clientOf(call), openStream: async () => refused };
  const sinks = new Map(Array.from({ length: 8 }, (_, index) => [String(index), testSink()] as const));
  const machine = provideReflector({
    client,
    clock,
    log: { debug: () => {}, info: () => {}, warn: () => {} },
    sourceOf(name) {
      const sink = sinks.get(name);
      return sink && { path: '/api/v1/pods', kind: 'Pod', labelSelector: '', sink };
    },
  });
  const actors = [...sinks.keys()].map((name) => createActor(machine, { clock, input: { name, random: () => 0.5 } }));
  for (const actor of actors) actor.start();
  const isListed = () => [...sinks.values()].every(({ lists }) => lists > 0);
  await until('three pages are asked for', () => answers.length === 3);
  await until('all are listed', () => {
    answers.shift()?.();
    return isListed();
  });
  assert.equal(most, 3);
  for (const actor of actors) actor.stop();
});
