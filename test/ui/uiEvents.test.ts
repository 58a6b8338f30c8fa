import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@weeder/kube-runtime/testing';
import { openPage } from '../support/page/openPage.ts';
import { down, shown, startTime } from '../support/page/servedPage.ts';

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
      exists: true,
      since: startTime,
      readyUntil: startTime,
      isFromStart: true,
      crashLooping: 2,
      deleted: 0,
      retried: 0,
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
    viewer.messages.slice(0, 3).map(({ type }) => type),
    ['hello', 'services', 'history'],
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

test('a service that was not ready when weeder started is a row, also if its name is ready elsewhere', async () => {
  await using page = await shown({}, (before) => {
    before.slice({ namespace: 'team-01', ready: [true] });
    before.slice({ namespace: 'team-05', ready: [false] });
  });
  await page.at.clock.pass(190_000);
  await using viewer = await openPage(page.served.url);
  const { services } = await viewer.received('services');
  const [ready, down] = services;
  assert.deepEqual([services.length, ready?.isReady, ready?.actor], [2, true, 'team-01/etcd-main-client']);
  assert.deepEqual([down?.namespace, down?.isReady, down?.exists, down?.actor], ['team-05', false, true, undefined]);
  assert.deepEqual([down?.since, down?.readyUntil, down?.isFromStart], [startTime, undefined, true]);
  page.at.slice({ namespace: 'team-05', ready: [true] });
  await viewer.received('service', ({ service }) => service.namespace === 'team-05' && service.isReady);
});

test('a service that appears later, and is not ready, is not said to be down since the start', async () => {
  await using page = await shown();
  await page.at.clock.pass(60_000);
  page.at.slice({ ready: [false] });
  await using viewer = await openPage(page.served.url);
  const { services } = await viewer.received('services');
  assert.deepEqual(
    services.map(({ namespace, since, isFromStart }) => [namespace, since, isFromStart]),
    [['shoot-1', startTime + 60_000, false]],
  );
});

test('a service whose slices are deleted stays, does not exist, and has the time until which it was ready', async () => {
  await using page = await down();
  await page.at.clock.pass(60_000);
  page.at.slice({ ready: [true] }, 'DELETED');
  await page.at.clock.pass(300_000);
  await using viewer = await openPage(page.served.url);
  const { services } = await viewer.received('services');
  assert.deepEqual(
    services.map(({ actor, exists, isReady, readyUntil }) => [actor, exists, isReady, readyUntil]),
    [[undefined, false, false, startTime + 60_000]],
  );
});

test('a name of the config that is in no namespace is a row without a namespace, until it is found', async () => {
  await using page = await shown();
  await using viewer = await openPage(page.served.url);
  const { services } = await viewer.received('services');
  assert.deepEqual(
    services.map(({ namespace, service, exists }) => [namespace, service, exists]),
    [['', 'etcd-main-client', false]],
  );
  page.at.slice({ ready: [true] });
  const removed = await viewer.received('serviceRemoved');
  assert.deepEqual([removed.namespace, removed.service], ['', 'etcd-main-client']);
  await viewer.received('service', ({ service }) => service.namespace === 'shoot-1');
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
