import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { listen } from '@weeder/kube-runtime/testing';
import { z } from 'zod';
import { createAnswers } from '../../src/ui/bodies.ts';
import { createPageWork, type Pause } from '../../src/ui/pageWork.ts';

const Services = z.object({ services: z.number() });

/** An item that takes a millisecond of the processor. */
function item(): void {
  const end = performance.now() + 1;
  while (performance.now() < end);
}

test('what arrives for the controllers is handled between the slices of a computation', async () => {
  const compute = createPageWork(() => false).computation(async (items: number, pause) => {
    for (let n = 0; n < items; n += 1) {
      item();
      await pause();
    }
  });
  let handled = 0;
  let isDone = false;
  const handle = () => {
    handled += 1;
    if (!isDone) setImmediate(handle);
  };
  setImmediate(handle);
  await compute(60).finally(() => {
    isDone = true;
  });
  // Each slice takes two milliseconds, so there are up to 30.
  assert.ok(handled >= 15, `${handled} times`);
});

test('computations follow each other in the order of their requests, also after one that failed', async () => {
  const work = createPageWork(() => false);
  const log: string[] = [];
  const compute = async (name: string, pause: Pause) => {
    log.push(`${name} begins`);
    item();
    item();
    await pause();
    log.push(`${name} ends`);
    if (name === 'b') throw new Error('broke');
    return name;
  };
  const [first, second] = [work.computation(compute), work.computation(compute)];
  const results = await Promise.allSettled([first('a'), second('b'), first('c')]);
  assert.deepEqual(log, ['a begins', 'a ends', 'b begins', 'b ends', 'c begins', 'c ends']);
  assert.deepEqual(
    results.map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled'],
  );
});

test('equal queries share a computation that has not begun, and no other', async () => {
  let computed = 0;
  let begun = Promise.withResolvers<void>();
  const release = Promise.withResolvers<void>();
  const compute = createPageWork(() => false).computation(async ({ search }: { readonly search: string }) => {
    computed += 1;
    begun.resolve();
    await release.promise;
    return `${search} ${computed}`;
  });
  const running = compute({ search: 'db' });
  await begun.promise;
  begun = Promise.withResolvers();
  const waiting = [compute({ search: 'db' }), compute({ search: 'db' }), compute({ search: 'web' })];
  release.resolve();
  assert.deepEqual(await Promise.all([running, ...waiting]), ['db 1', 'db 2', 'db 2', 'web 3']);
});

test('no slice begins while pods are being deleted, for a quarter of a second at most', async () => {
  let isDeleting = true;
  let items = 0;
  const compute = createPageWork(() => isDeleting).computation(async (upTo: number, pause) => {
    for (let n = 0; n < upTo; n += 1) {
      item();
      items += 1;
      await pause();
    }
  });
  const computed = compute(10);
  for (let turns = 0; turns < 3; turns += 1) await turn();
  assert.equal(items, 0);
  isDeleting = false;
  await computed;
  assert.equal(items, 10);
  isDeleting = true;
  await compute(10);
  assert.equal(items, 20);
});

test('pages that poll share an answer for a second; other requests and replays do not', async (t) => {
  t.mock.timers.enable({ apis: ['setTimeout'] });
  const state = { services: 1 };
  const polls = { 'cache-control': 'max-age=1' };
  for (const canShare of [true, false]) {
    const answer = createAnswers({ canShare });
    const server = createServer((request, response) => void answer(request, response, async () => ({ ...state })));
    const url = `http://127.0.0.1:${await listen(server)}/overview`;
    const servicesOf = async (path = '', headers: Record<string, string> = polls) =>
      Services.parse(await (await fetch(url + path, { headers })).json()).services;
    state.services = 1;
    assert.equal(await servicesOf(), 1);
    state.services = 2;
    assert.equal(await servicesOf(), canShare ? 1 : 2);
    assert.equal(await servicesOf('?search=db'), 2);
    assert.equal(await servicesOf('', {}), 2);
    state.services = 3;
    t.mock.timers.tick(1000);
    assert.equal(await servicesOf(), 3);
    server.closeAllConnections();
    server.close();
  }
});
