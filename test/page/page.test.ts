import assert from 'node:assert/strict';
import { test } from 'node:test';
import { actorView, hello, manyActors, scene, serviceView } from '../support/pageScene.ts';
import { until } from '../support/until.ts';
import { openPage } from './support/browser.ts';

const now = Date.UTC(2026, 10, 21, 14, 3, 7);

test('a service that goes down, recovers and goes away does so on the page, and nothing is logged', async (t) => {
  const { page, server, said } = await openPage(t, (its) => {
    its.greeting = scene(now);
  });
  const row = page.locator('#services-table tbody tr', { hasText: 'shop/auth' });
  await row.getByText('ready › idle').waitFor();
  server.tell({ type: 'service', service: serviceView('auth', { state: 'notReady.idle', isReady: false }) });
  await row.getByText('notReady › idle').waitFor();
  const window = { number: 1, openedAt: now, closesAt: now + 300_000 };
  const service = serviceView('auth', { state: 'ready.weeding.steady', window, deleted: 7 });
  server.tell({ type: 'service', service });
  await row.getByText('5m 00s left').waitFor();
  server.ahead = 4_000;
  await row.getByText('4m 56s left').waitFor();
  assert.equal(await row.locator('td').nth(3).textContent(), '7');
  server.tell({ type: 'serviceGone', namespace: 'shop', service: 'auth' });
  await row.waitFor({ state: 'detached' });
  assert.deepEqual(said, []);
});

test('of 2,000 services only the row that has changed is written', async (t) => {
  const services = Array.from({ length: 2000 }, (_, index) => serviceView(`s-${index}`));
  const { page, server } = await openPage(t, (its) => {
    its.greeting = [hello(now), { type: 'services', services }];
  });
  await page.locator('#services-count', { hasText: '2,000' }).waitFor();
  await page.evaluate(`window.touched = new Set(); new MutationObserver((all) => {
    for (const { target } of all) window.touched.add((target.closest ? target : target.parentElement).closest('tr'));
  }).observe(document.querySelector('tbody'), { subtree: true, childList: true, characterData: true, attributes: true })`);
  server.tell({ type: 'service', service: serviceView('s-1234', { deleted: 3 }) });
  await page.locator('tr', { hasText: 's-1234' }).getByText('3', { exact: true }).waitFor();
  assert.equal(await page.evaluate('window.touched.size'), 1);
});

test('the states of the chosen actor are lit, and so is the arrow that it took', async (t) => {
  const { page, server, said } = await openPage(
    t,
    (its) => {
      its.greeting = [...scene(now), { type: 'actor', actor: actorView('shop/db') }];
    },
    { path: '/#machine=shop%2Fdb' },
  );
  await page.locator('.box.lit[data-state="ready.idle"]').waitFor();
  const actor = actorView('shop/db', { states: ['notReady', 'notReady.idle'] });
  const transition = { at: now, event: 'endpoint.notReady', from: 'ready.idle', to: 'notReady.idle' };
  server.tell({ type: 'actor', actor, transition });
  await page.locator('.box.lit[data-state="notReady.idle"]').waitFor();
  assert.equal(await page.locator('.box.lit[data-state="ready.idle"]').count(), 0);
  assert.equal(await page.locator('.arrow.taken[data-from="ready.idle"][data-to="notReady.idle"]').count(), 1);
  assert(server.asked.includes('/events?actor=shop%2Fdb'));
  assert.deepEqual(said, []);
});

test('of 10,000 actors only those in sight are in the page, and the last is a key away', async (t) => {
  const { page, said } = await openPage(
    t,
    (its) => {
      its.greeting = scene(now);
      its.actors = manyActors(10_000);
    },
    { path: '/#actors' },
  );
  await page.getByText('shop/service-00000').waitFor();
  await page.locator('#actors-list').focus();
  await page.keyboard.press('End');
  await page.locator('.actor[aria-posinset="10000"] .id').waitFor();
  assert((await page.locator('.actor').count()) < 60);
  await page.locator('#actors-search').fill('04321');
  await page.locator('#actors-count', { hasText: /^2$/ }).waitFor();
  await page.locator('#actors-list').press('Enter');
  await page.waitForURL(/#machine=shop%2Fservice-04321$/);
  assert.deepEqual(said, []);
});

test('the timeline draws outages, windows, recoveries and deletions, and lists them', async (t) => {
  const { page, said } = await openPage(
    t,
    (its) => {
      its.greeting = scene(now);
    },
    { path: '/#timeline' },
  );
  const lane = page.locator('.lane[data-about="shop/db"]');
  await lane.locator('.deletion').first().waitFor({ state: 'attached' });
  const drawn = ['.outage', '.window', '.recovery', '.deletion'].map((each) => lane.locator(each).count());
  assert.deepEqual(await Promise.all(drawn), [2, 2, 2, 9]);
  assert.equal(await page.locator('#moments tr').count(), 23);
  await page.locator('#chart').press('+');
  await page.locator('#timeline-count', { hasText: /13:33:\d\d to 14:03:\d\d/ }).waitFor();
  assert.deepEqual(said, []);
});

test('a replay is played, stepped and sought by its controls', async (t) => {
  const clock = { startsAt: now - 600_000, endsAt: now, now: now - 300_000, isPlaying: false, speed: 1 };
  const { page, server, said } = await openPage(t, (its) => {
    its.greeting = [hello(clock.now, 'replay'), { type: 'clock', ...clock }];
  });
  await page.getByRole('button', { name: 'Play' }).click();
  await page.getByRole('button', { name: 'Step' }).click();
  await page.getByLabel('Speed').selectOption('16');
  await page.getByLabel('Time in the recording').press('Home');
  await until('all was told', () => server.commands.length === 4);
  const seek = { do: 'seek', to: clock.startsAt };
  assert.deepEqual(server.commands, [{ do: 'play' }, { do: 'step' }, { do: 'speed', speed: 16 }, seek]);
  assert.deepEqual(said, []);
});
