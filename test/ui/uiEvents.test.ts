import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openPage } from '../support/page/openPage.ts';
import { down, shown, startTime } from '../support/page/servedPage.ts';
import { until } from '../support/until.ts';

test('a page receives the services and the history first, and then each change', async () => {
  await using page = await down();
  page.at.slice({ ready: [false] });
  await using viewer = await openPage(page.served.url);
  assert.deepEqual((await viewer.received('services')).services, [
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
  const { moments } = await viewer.received('history');
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
  const { service } = await viewer.received('service', (message) => message.service.deleted === 1);
  assert.deepEqual(service.window, { number: 1, openedAt, closesAt: openedAt + 120_000 });
  assert.deepEqual(
    [service.state, service.isReady, service.deleted, service.skipped, service.failed],
    ['ready.windowOpen.settled', true, 1, 1, 0],
  );
  await viewer.received('moment', ({ moment }) => moment.what === 'pod.deleted' && moment.pod === 'shoot-1/kapi-0');
  await page.at.clock.pass(120_000);
  const closed = await viewer.received('service', (message) => message.service.state === 'ready.idle');
  assert.deepEqual([closed.service.window, closed.service.deleted, closed.service.skipped], [undefined, 1, 1]);
  assert.deepEqual(page.broken, []);
});

test('a page receives the services of the config that were never ready, until they are', async () => {
  await using page = await shown({}, (before) => before.slice({ ready: [false] }));
  await using viewer = await openPage(page.served.url);
  assert.equal((await viewer.received('unseenServices')).words, 'never ready so far: etcd-main-client');
  page.at.slice({ ready: [true] });
  await page.at.clock.pass(1000);
  await viewer.received('unseenServices', ({ words }) => words === '');
});

test('a deleted service disappears from the page', async () => {
  await using page = await down();
  page.at.slice({ ready: [false] });
  await using viewer = await openPage(page.served.url);
  await viewer.received('services', ({ services }) => services.length === 1);
  page.at.slice({ ready: [false] }, 'DELETED');
  const { namespace, service } = await viewer.received('serviceRemoved');
  assert.equal(`${namespace}/${service}`, 'shoot-1/etcd-main-client');
});

test('nothing is polled while no page is open', async () => {
  await using page = await down();
  page.at.slice({ ready: [false] });
  assert.equal(page.live.load().polls, 0);
  {
    await using viewer = await openPage(page.served.url);
    await viewer.received('history');
    await until('the state is polled repeatedly', () => page.live.load().polls > 2);
  }
  await until('the page is closed', () => page.live.load().pages === 0);
  const { polls } = page.live.load();
  await new Promise((resolve) => setTimeout(resolve, 600));
  assert.equal(page.live.load().polls, polls);
});

test('many services are sent as one list, and so are many changes', async () => {
  const names = Array.from({ length: 3000 }, (_, n) => `shoot-${n}`);
  await using page = await shown({}, (before) => {
    for (const namespace of names) before.slice({ namespace, ready: [true] });
  });
  await using viewer = await openPage(page.served.url);
  assert.equal((await viewer.received('services')).services.length, 3000);
  for (const namespace of names) page.at.slice({ namespace, ready: [false] });
  const { services } = await viewer.received('services', (message) =>
    message.services.every(({ isReady }) => !isReady),
  );
  assert.equal(services.length, 3000);
});

test('a page receives a heartbeat with the time every two seconds', async () => {
  await using page = await down();
  await using viewer = await openPage(page.served.url);
  await viewer.received('beat', ({ now }) => now === startTime);
  await page.at.clock.pass(7000);
  await viewer.received('beat', ({ now }) => now === startTime + 7000);
});
