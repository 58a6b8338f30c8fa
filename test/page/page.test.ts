import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@weeder/kube-runtime/testing';
import { actorView, hello, scene, serviceView, unseenView } from '@weeder/live-page/scenes';
import type { Locator } from 'playwright-core';
import { openPage } from './support/browser.ts';

const now = Date.UTC(2026, 10, 21, 14, 3, 7);

/** The position of an element on the page. An element that is being redrawn has none. */
async function boxOf(locator: Locator) {
  for (;;) {
    const box = await locator.boundingBox();
    if (box !== null) return box;
  }
}

test('a service that goes down, recovers and is deleted does so on the page, without console output', async (t) => {
  const { page, server, consoleLines } = await openPage(t, (server) => {
    server.greeting = scene(now);
  });
  const row = page.locator('#services-table tbody tr', { hasText: 'shop/auth' });
  await row.getByText('Ready', { exact: true }).waitFor();
  server.send({
    type: 'service',
    service: serviceView('auth', {
      state: 'notReady.idle',
      isReady: false,
      since: now - 35_000,
      readyUntil: now - 35_000,
    }),
  });
  await row.getByText(/^Down for 3\ds$/).waitFor();
  const window = { number: 1, openedAt: now, closesAt: now + 300_000 };
  const service = serviceView('auth', { state: 'ready.windowOpen.settled', window, deleted: 7 });
  server.send({ type: 'service', service });
  await row.getByText('5m 00s left').waitFor();
  server.ahead = 4_000;
  await row.getByText('4m 56s left').waitFor();
  assert.equal(await row.locator('td').nth(3).textContent(), '7');
  server.send({ type: 'serviceRemoved', namespace: 'shop', service: 'auth' });
  await row.waitFor({ state: 'detached' });
  assert.deepEqual(consoleLines, []);
});

test('of 10,000 services the visible ones are in the page, only the changed one is written, and all are reached', async (t) => {
  const services = Array.from({ length: 10_000 }, (_, index) => serviceView(`s-${String(index).padStart(4, '0')}`));
  const { page, server } = await openPage(t, (server) => {
    server.greeting = [hello(now), { type: 'services', services }];
  });
  await page.locator('#services-count', { hasText: '10,000' }).waitFor();
  const rows = page.locator('#services-table tbody tr');
  await rows.first().waitFor();
  assert.ok((await page.evaluate<number>("document.querySelectorAll('*').length")) < 1500);
  await page.evaluate(`window.touched = new Set(); new MutationObserver((all) => {
    for (const { target } of all) window.touched.add((target.closest ? target : target.parentElement).closest('tr'));
  }).observe(document.querySelector('#services-table'), { subtree: true, childList: true, characterData: true, attributes: true })`);
  server.send({ type: 'service', service: serviceView('s-0012', { deleted: 3 }) });
  await page.locator('tr', { hasText: 's-0012' }).getByText('3', { exact: true }).waitFor();
  assert.equal(await page.evaluate('window.touched.size'), 1);
  server.send({ type: 'service', service: serviceView('s-9876', { isReady: false, state: 'notReady.idle' }) });
  await page.getByRole('button', { name: 'Down 1' }).click();
  await page.getByRole('link', { name: 's-9876', exact: true }).waitFor();
  assert.equal(await rows.count(), 1);
  await page.getByRole('button', { name: 'All 10,000' }).click();
  await page.locator('#services-search').fill('S-432');
  await page.locator('#services-count', { hasText: '10 of 10,000' }).waitFor();
  assert.equal(await rows.count(), 10);
  await page.locator('#services-search').fill('');
  await rows.nth(20).waitFor();
  await page.evaluate('scrollTo(0, document.body.scrollHeight)');
  await page.locator('tr[aria-rowindex="10001"]', { hasText: 's-9999' }).waitFor();
  assert.ok((await page.evaluate<number>("document.querySelectorAll('*').length")) < 1500);
  assert.equal(await page.locator('#services-table').getAttribute('aria-rowcount'), '10001');
  await page.waitForFunction(
    `document.querySelector('tr[aria-rowindex="10001"]')?.getBoundingClientRect().bottom <= innerHeight`,
  );
  await page.evaluate('scrollTo(0, 0)');
  await page.locator('tr[aria-rowindex="2"]', { hasText: 's-9876' }).waitFor();
});

test('the states of the selected actor are highlighted, and so are the arrows of its transition', async (t) => {
  const { page, server, consoleLines } = await openPage(
    t,
    (server) => {
      server.greeting = [...scene(now), { type: 'actor', actor: actorView('shop/db') }];
    },
    { path: '/#machine=shop%2Fdb' },
  );
  await page.locator('.box.lit[data-state="ready.idle"]').waitFor();
  assert.equal(await page.locator('.taken').count(), 0);
  const actor = actorView('shop/db', { states: ['ready', 'ready.windowOpen', 'ready.windowOpen.settled'] });
  const transition = { at: now, event: 'endpoint.ready', from: 'notReady', to: 'ready.windowOpen' };
  server.send({ type: 'actor', actor, transition });
  await page.locator('.box.lit[data-state="ready.windowOpen.settled"]').waitFor();
  assert.equal(await page.locator('.box.lit[data-state="ready.idle"]').count(), 0);
  // One in the overview, and one in the picture of the state that it enters.
  assert.equal(await page.locator('.arrow.taken[data-ways~="notReady:ready.windowOpen"]').count(), 2);
  assert.equal(await page.locator('.arrow.taken').count(), 2);
  const [picture, box] = [await boxOf(page.locator('#picture')), await boxOf(page.locator('.lit').last())];
  assert(box.y > picture.y && box.y + box.height < picture.y + picture.height, JSON.stringify([picture, box]));
  assert(server.requests.includes('/events?actor=shop%2Fdb'));
  assert.deepEqual(consoleLines, []);
});

test('a step without an arrow lights up the lines that replace it, and these alone', async (t) => {
  const { page, server } = await openPage(
    t,
    (server) => {
      server.greeting = [...scene(now), { type: 'actor', actor: actorView('shop/db') }];
    },
    { path: '/#machine=shop%2Fdb' },
  );
  await page.locator('.box.lit[data-state="ready.idle"]').waitFor();
  const actor = actorView('shop/db', { states: ['notReady', 'notReady.idle'] });
  const transition = { at: now, event: 'endpoint.notReady', from: 'ready.idle', to: 'notReady.idle' };
  server.send({ type: 'actor', actor, transition });
  await page.locator('.exit.taken[data-ways="ready.idle:notReady.idle"] rect').waitFor();
  assert.equal(await page.locator('.taken').count(), 1);
  assert.equal(
    await page.evaluate('document.getAnimations().some(({ animationName }) => animationName === "along")'),
    true,
  );
});

test('the timeline draws outages, windows, recoveries and deletions, and lists them', async (t) => {
  const { page, consoleLines } = await openPage(
    t,
    (server) => {
      server.greeting = scene(now);
    },
    { path: '/#timeline' },
  );
  const lane = page.locator('.lane[data-about="shop/db"]');
  await lane.locator('.deletion').first().waitFor({ state: 'attached' });
  const drawn = ['.outage', '.window', '.recovery', '.deletion'].map((each) => lane.locator(each).count());
  // Of nine deletions, three are as near to the one before as a mark is wide.
  assert.deepEqual(await Promise.all(drawn), [2, 2, 2, 6]);
  assert.equal(await lane.locator('.deletion title', { hasText: 'and 1 more' }).count(), 3);
  assert.equal(await page.locator('#moments tr').count(), 23);
  await page.locator('#chart').press('+');
  await page.locator('#timeline-count', { hasText: /13:38:\d\d to 14:03:\d\d/ }).waitFor();
  assert.deepEqual(consoleLines, []);
});

test('an outage that began before the last hour is drawn from the left edge, until the service recovers', async (t) => {
  const { page, server } = await openPage(
    t,
    (server) => {
      const began = {
        t: now - 7_200_000,
        what: 'service.notReady',
        words: 'service is down',
        about: 'shop/old',
        detail: '',
      };
      server.greeting = [hello(now), { type: 'history', moments: [began] }];
    },
    { path: '/#timeline' },
  );
  const outage = page.locator('.lane[data-about="shop/old"] .outage');
  await outage.waitFor({ state: 'attached' });
  const [chart, whole] = [await boxOf(page.locator('#chart')), await boxOf(outage)];
  assert(Math.abs(whole.x - chart.x) < 5 && Math.abs(whole.width - chart.width) < 5, JSON.stringify([chart, whole]));
  server.send({
    type: 'moment',
    moment: { t: now - 1_800_000, what: 'window.opened', words: 'window opened', about: 'shop/old', detail: '' },
  });
  await page.locator('.lane .recovery').waitFor({ state: 'attached' });
  const half = await boxOf(outage);
  assert(Math.abs(half.width - chart.width / 2) < 5, JSON.stringify([chart, half]));
});

test('a replay is played, stepped and sought by its controls', async (t) => {
  const clock = { startsAt: now - 600_000, endsAt: now, now: now - 300_000, isPlaying: false, speed: 1 };
  const { page, server, consoleLines } = await openPage(t, (server) => {
    server.greeting = [hello(clock.now, 'replay'), { type: 'clock', ...clock }];
  });
  await page.getByRole('button', { name: 'Play' }).click();
  await page.getByRole('button', { name: 'Step' }).click();
  await page.getByLabel('Speed').selectOption('16');
  await page.getByLabel('Time in the recording').press('Home');
  await until('all commands arrived', () => server.commands.length === 4);
  const seek = { do: 'seek', to: clock.startsAt };
  assert.deepEqual(server.commands, [{ do: 'play' }, { do: 'step' }, { do: 'speed', speed: 16 }, seek]);
  assert.deepEqual(consoleLines, []);
});

test('a service that weeder has not seen ready, or that does not exist, is a row, and counts as down', async (t) => {
  const { page, consoleLines } = await openPage(t, (server) => {
    const readyUntil = now - 3_600_000;
    const gone = unseenView('gone', now, { readyUntil, exists: false });
    const typo = unseenView('redis-typo', now, { namespace: '', since: undefined, exists: false });
    const late = unseenView('late', now - 10_000, { isFromStart: false });
    const services = [serviceView('db'), unseenView('redis', now - 190_000), gone, typo, late];
    server.greeting = [hello(now), { type: 'services', services }];
  });
  const rowOf = (name: string) => page.locator('#services-table tbody tr', { hasText: name });
  await rowOf('shop/redis')
    .getByText(/^Down, not ready since weeder started \(3m 1\ds\)$/)
    .waitFor();
  await rowOf('shop/late')
    .getByText(/^Down, not ready since first seen \(1\ds\)$/)
    .waitFor();
  await rowOf('shop/gone')
    .getByText(/^No EndpointSlice, was ready until \d\d:03:07$/)
    .waitFor();
  await rowOf('redis-typo').getByText('In no watched namespace').waitFor();
  assert.equal(await rowOf('redis-typo').locator('th').textContent(), 'redis-typo');
  await page.getByRole('button', { name: 'Down 4' }).click();
  await rowOf('shop/db').waitFor({ state: 'detached' });
  assert.equal(await page.locator('#services-table tbody tr').count(), 4);
  assert.deepEqual(consoleLines, []);
});

test('of 1,000 services the one that is down is the first, and by name it is the last', async (t) => {
  const services = Array.from({ length: 1_000 }, (_, index) => serviceView(`a-${index + 1000}`));
  const down = serviceView('zz-1000', { isReady: false, state: 'notReady.idle' });
  const { page } = await openPage(t, (server) => {
    server.greeting = [hello(now), { type: 'services', services: [...services, down] }];
  });
  const rows = page.locator('#services-table tbody tr');
  await rows.first().getByRole('link', { name: 'zz-1000', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Service', exact: true }).click();
  await rows.first().getByRole('link', { name: 'a-1000', exact: true }).waitFor();
  await page.evaluate('scrollTo(0, document.body.scrollHeight)');
  await page.locator('tr[aria-rowindex="1002"]', { hasText: 'zz-1000' }).waitFor();
});

test('of 1,000 services whose windows are open the one whose deletion failed is marked, and is the first', async (t) => {
  const window = { number: 1, openedAt: now, closesAt: now + 300_000 };
  const open = Array.from({ length: 1_000 }, (_, index) => serviceView(`svc-${index + 2}`, { window }));
  const failed = serviceView('zz', { window, failed: 1, state: 'ready.windowOpen.settled' });
  const { page } = await openPage(t, (server) => {
    server.greeting = [hello(now), { type: 'services', services: [...open.toReversed(), failed] }];
  });
  const rows = page.locator('#services-table tbody tr');
  await rows.first().getByRole('link', { name: 'zz', exact: true }).waitFor();
  const state = rows.first().locator('.state');
  assert.equal(await state.getAttribute('data-health'), 'degraded');
  assert.equal(await state.textContent(), 'Window open, 1 deletion failed');
  await page.getByRole('button', { name: 'Service', exact: true }).click();
  await rows.first().getByRole('link', { name: 'svc-2', exact: true }).waitFor();
  assert.match((await rows.nth(8).textContent()) ?? '', /svc-10/);
});

test('of many lanes, those of outages are drawn first, also of a service that was down at the start, and those found ready have none', async (t) => {
  const calm = Array.from({ length: 80 }, (_, n) => `calm-${n + 1}`);
  const names = Array.from({ length: 1_000 }, (_, n) => `a-${n}`);
  const { page } = await openPage(
    t,
    (server) => {
      const ready = [...names, ...calm].map((name) => serviceView(name));
      const services = [...ready, unseenView('zz-1000', now - 600_000)];
      const moment = (what: string) => (name: string) => ({
        t: now - 900_000,
        what,
        words: what,
        about: `shop/${name}`,
        detail: '',
      });
      const found = names.map(moment('service.ready'));
      const down = { ...moment('service.notReady')('calm-79'), t: now - 300_000 };
      const moments = [...found, ...calm.map(moment('pod.deleted')), down];
      server.greeting = [hello(now), { type: 'services', services }, { type: 'history', moments }];
    },
    { path: '/#timeline' },
  );
  await page.locator('#timeline-count', { hasText: '81 lanes' }).waitFor();
  const lanes = page.locator('.lane');
  const drawn = await lanes.evaluateAll((all) => all.map((each) => each.getAttribute('data-about')));
  assert.deepEqual(drawn.slice(0, 3), ['shop/calm-79', 'shop/zz-1000', 'shop/calm-1']);
  await page.locator('.lane[data-about="shop/zz-1000"] .outage').waitFor({ state: 'attached' });
});
