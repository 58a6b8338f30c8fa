import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createHistory } from '../src/ui/history.ts';
import { backOff } from './support/objects.ts';
import { openPage } from './support/openPage.ts';
import { type Shown, shown, startTime } from './support/servedPage.ts';
import { until } from './support/until.ts';

/** A service that is down, with one pod that crash-loops and one that is kept. */
function down(): Promise<Shown> {
  return shown({ service: { onStart: 'never' } }, (before) => {
    before.slice({ ready: [true] });
    before.put({ containers: [backOff(4)] });
    before.put({ name: 'bare', isBare: true, containers: [backOff(4)] });
  });
}

test('a page is told of the services and the history first, and then of what changes', async () => {
  await using page = await down();
  page.at.slice({ ready: [false] });
  await using viewer = await openPage(page.served.url);
  assert.deepEqual((await viewer.told('services')).services, [
    {
      namespace: 'shoot-1',
      service: 'etcd-main-client',
      actor: 'shoot-1/etcd-main-client',
      state: 'notReady.idle',
      isReady: false,
      crashLooping: 2,
      deleted: 0,
      kept: 0,
      givenUp: 0,
    },
  ]);
  const { moments } = await viewer.told('history');
  assert.deepEqual(
    moments.map(({ what, about }) => [what, about]),
    [
      ['service.ready', 'shoot-1/etcd-main-client'],
      ['service.notReady', 'shoot-1/etcd-main-client'],
    ],
  );
  assert.deepEqual(
    viewer.messages.slice(0, 3).map(({ type }) => type),
    ['hello', 'services', 'history'],
  );
  page.at.slice({ ready: [true] });
  await page.at.clock.pass(1000);
  const openedAt = startTime;
  const { service } = await viewer.told('service', (message) => message.service.deleted === 1);
  assert.deepEqual(service.window, { number: 1, openedAt, closesAt: openedAt + 120_000 });
  assert.deepEqual(
    [service.state, service.isReady, service.deleted, service.kept, service.givenUp],
    ['ready.weeding.steady', true, 1, 1, 0],
  );
  await viewer.told('moment', ({ moment }) => moment.what === 'pod.deleted' && moment.pod === 'shoot-1/kapi-0');
  await page.at.clock.pass(120_000);
  const closed = await viewer.told('service', (message) => message.service.state === 'ready.idle');
  assert.deepEqual([closed.service.window, closed.service.deleted, closed.service.kept], [undefined, 1, 1]);
  assert.deepEqual(page.broken, []);
});

test('a service that is gone leaves the page', async () => {
  await using page = await down();
  page.at.slice({ ready: [false] });
  await using viewer = await openPage(page.served.url);
  await viewer.told('services', ({ services }) => services.length === 1);
  page.at.slice({ ready: [false] }, 'DELETED');
  const { namespace, service } = await viewer.told('serviceGone');
  assert.equal(`${namespace}/${service}`, 'shoot-1/etcd-main-client');
});

test('the chosen actor is shown with each transition as the picture has it, and the others are not', async () => {
  await using page = await down();
  page.at.slice({ ready: [false] });
  const id = 'shoot-1/etcd-main-client';
  await using viewer = await openPage(page.served.url, `?actor=${id}`);
  await using other = await openPage(page.served.url);
  assert.deepEqual((await viewer.told('actor')).actor.states, ['notReady', 'notReady.idle']);
  await other.told('history');
  page.at.slice({ ready: [true] });
  const { actor, transition } = await viewer.told('actor', (message) => message.transition !== undefined);
  assert.deepEqual(transition, { at: startTime, event: 'endpoint.ready', from: 'notReady', to: 'ready.weeding' });
  assert.deepEqual(actor.states, ['ready', 'ready.weeding', 'ready.weeding.steady']);
  await other.told('service');
  assert.deepEqual(
    other.messages.filter(({ type }) => type === 'actor'),
    [],
  );
});

test('a chosen actor that is not there is told as gone, and shown when it comes', async () => {
  await using page = await down();
  page.at.slice({ ready: [false] });
  const id = 'shoot-1/etcd-main-client/dependants-1-0';
  await using viewer = await openPage(page.served.url, `?actor=${id}`);
  assert.equal((await viewer.told('actorGone')).id, id);
  page.at.slice({ ready: [true] });
  assert.equal((await viewer.told('actor')).actor.machine, 'dependants');
  await page.at.clock.pass(121_000);
  await until('it is gone again', () => viewer.messages.filter(({ type }) => type === 'actorGone').length === 2);
});

test('a hung browser costs a bounded amount of memory, and is told everything anew when it reads on', async () => {
  await using page = await down();
  await using hung = await openPage(page.served.url);
  await using quick = await openPage(page.served.url);
  await Promise.all([hung.told('history'), quick.told('history')]);
  hung.hang();
  const burst = (from: number, to: number) => {
    for (let n = from; n < to; n += 1)
      page.live.report({ type: 'service.ready', namespace: `shoot-${n}`, service: 'etcd-main-client' });
  };
  for (let n = 0; n < 100; n += 1) {
    burst(n * 1000, n * 1000 + 1000);
    await new Promise((resolve) => setImmediate(resolve));
  }
  const { waiting, leftOut, pages } = page.live.load();
  assert.equal(pages, 2);
  assert.ok(leftOut > 50_000, `${leftOut} left out`);
  assert.ok(waiting < 2 * 128 * 1024, `${waiting} bytes wait`);
  hung.goOn();
  const last = 'shoot-99999/etcd-main-client';
  const { moments } = await hung.told('history', (message) => message.moments.at(-1)?.about === last);
  assert.equal(moments.length, 20_000);
  await until('nothing waits any more', () => page.live.load().waiting === 0);
});

test('nothing is looked at while no page is open', async () => {
  await using page = await down();
  page.at.slice({ ready: [false] });
  assert.equal(page.live.load().looks, 0);
  {
    await using viewer = await openPage(page.served.url);
    await viewer.told('history');
    await until('it is looked at again and again', () => page.live.load().looks > 2);
  }
  await until('the page is closed', () => page.live.load().pages === 0);
  const { looks } = page.live.load();
  await new Promise((resolve) => setTimeout(resolve, 600));
  assert.equal(page.live.load().looks, looks);
});

test('many services are told as one list, and those that change as one', async () => {
  const names = Array.from({ length: 3000 }, (_, n) => `shoot-${n}`);
  await using page = await shown({}, (before) => {
    for (const namespace of names) before.slice({ namespace, ready: [true] });
  });
  await using viewer = await openPage(page.served.url);
  assert.equal((await viewer.told('services')).services.length, 3000);
  for (const namespace of names) page.at.slice({ namespace, ready: [false] });
  const { services } = await viewer.told('services', (message) => message.services.every(({ isReady }) => !isReady));
  assert.equal(services.length, 3000);
});

test('the history is of the last hour, and of 20,000 moments at most', () => {
  const history = createHistory();
  const add = (t: number) => history.add({ t, what: 'service.ready', about: `a/${t}`, detail: '' });
  add(0);
  add(1);
  add(3_600_000);
  assert.equal(history.texts().length, 3);
  add(3_600_001);
  assert.deepEqual(
    history.texts().map((text) => JSON.parse(text).t),
    [1, 3_600_000, 3_600_001],
  );
  for (let n = 0; n < 25_000; n += 1) add(3_600_002);
  assert.equal(history.texts().length, 20_000);
});
