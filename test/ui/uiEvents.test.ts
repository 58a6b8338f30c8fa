import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPage } from '../support/page/openPage.ts';
import { down, shown, startTime } from '../support/page/servedPage.ts';
import { until } from '../support/until.ts';

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
      skipped: 0,
      failed: 0,
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
    viewer.messages.slice(0, 4).map(({ type }) => type),
    ['hello', 'services', 'unseenServices', 'history'],
  );
  page.at.slice({ ready: [true] });
  await page.at.clock.pass(1000);
  const openedAt = startTime;
  const { service } = await viewer.told('service', (message) => message.service.deleted === 1);
  assert.deepEqual(service.window, { number: 1, openedAt, closesAt: openedAt + 120_000 });
  assert.deepEqual(
    [service.state, service.isReady, service.deleted, service.skipped, service.failed],
    ['ready.windowOpen.settled', true, 1, 1, 0],
  );
  await viewer.told('moment', ({ moment }) => moment.what === 'pod.deleted' && moment.pod === 'shoot-1/kapi-0');
  await page.at.clock.pass(120_000);
  const closed = await viewer.told('service', (message) => message.service.state === 'ready.idle');
  assert.deepEqual([closed.service.window, closed.service.deleted, closed.service.skipped], [undefined, 1, 1]);
  assert.deepEqual(page.broken, []);
});

test('a page is told which services of the config were never ready, until they are', async () => {
  await using page = await shown({}, (before) => before.slice({ ready: [false] }));
  await using viewer = await openPage(page.served.url);
  assert.equal((await viewer.told('unseenServices')).words, 'never ready so far: etcd-main-client');
  page.at.slice({ ready: [true] });
  await page.at.clock.pass(1000);
  await viewer.told('unseenServices', ({ words }) => words === '');
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

test('every two seconds a page is told the time, so that it notices a weeder that hangs', async () => {
  await using page = await down();
  await using viewer = await openPage(page.served.url);
  await viewer.told('beat', ({ now }) => now === startTime);
  await page.at.clock.pass(7000);
  await viewer.told('beat', ({ now }) => now === startTime + 7000);
});
