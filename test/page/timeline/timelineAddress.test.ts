import assert from 'node:assert/strict';
import { test } from 'node:test';
import { overviewView } from '@weeder/live-page/scenes';
import { visit } from '../support/browser.ts';
import { at, outageOfDemo, timeline } from '../support/timelinePage.ts';

const moments = [at(3_000, 'pod.deleted', 'shop/db'), at(2_000, 'workload.restarted', 'Deployment shop/web')];
const options = { timezoneId: 'UTC' };

test('the search is in the address, and an address with a search shows what it finds', async (t) => {
  const { page } = await timeline(t, [...moments, ...outageOfDemo], { path: '/#timeline?search=shop/web' });
  await page.locator('#timeline-count', { hasText: '1 lane, 1 event' }).waitFor();
  await page.locator('#timeline-search').fill('shop/db');
  await page.waitForURL(/#timeline\?search=shop\/db$/);
  await page.locator('.lane[data-about="shop/db"]').waitFor();
});

test('range, kinds and the chosen event are in the address, and a copy of it shows the same', async (t) => {
  const { page } = await timeline(t, [...moments, ...outageOfDemo]);
  const legend = page.getByRole('group', { name: 'Kinds of events' });
  for (const name of ['restart', 'other, only in the table']) await legend.getByRole('button', { name }).click();
  await page.locator('.lane[data-about="shop/db"] .deletion').click();
  await page.locator('#chart').focus();
  for (const key of ['+', ...Array(4).fill('ArrowLeft')]) await page.keyboard.press(key);
  const kinds = 'outage+window+recovery+deletion+retry+correction+drift+problem+deviation';
  const event = '2026-11-21T13:13:07.000Z/pod.deleted/shop/db';
  await page.locator('#timeline-count', { hasText: /^1 lane, 1 event/ }).waitFor();
  const count = (await page.locator('#timeline-count').textContent()) ?? '';
  const [from = ''] = /\d\d:\d\d:\d\d/.exec(count) ?? [];
  await page.waitForURL((url) =>
    url.hash.startsWith(`#timeline?only=${kinds}&event=${event}&range=2026-11-21T${from}`),
  );

  const { page: copy, consoleLines } = await visit(t, page.url(), options);
  await copy.locator('tr[aria-current=true][data-what="pod.deleted"]').waitFor();
  await copy.locator('.deletion.chosen').waitFor({ state: 'attached' });
  assert.equal(await copy.locator('#timeline-count').textContent(), count);
  await copy.getByRole('button', { name: 'restart', pressed: false }).waitFor();
  await copy.getByRole('button', { name: 'all', exact: true }).click();
  await copy.getByRole('button', { name: 'Fit' }).click();
  await copy.waitForURL((url) => url.hash === `#timeline?event=${event}`);
  assert.deepEqual(consoleLines, []);
});

test('a zoom that follows the time is in the address by its length, and Back returns to it', async (t) => {
  const { page } = await timeline(t, [...moments, ...outageOfDemo]);
  await page.getByRole('button', { name: 'Zoom in' }).click();
  await page.waitForURL(/#timeline\?range=15\d\d(\.\d+)?s$/);
  const nav = page.getByRole('navigation', { name: 'Views' });
  await nav.getByRole('link', { name: 'Services', exact: true }).click();
  await page.evaluate("location.hash = '#timeline?only=deletion'");
  await page.locator('#timeline-count', { hasText: '2 lanes, 2 events' }).waitFor();
  await page.goBack();
  await page.goBack();
  await page.locator('#timeline-count', { hasText: '1 lane, 4 events' }).waitFor();
  await nav.getByRole('link', { name: 'Services', exact: true }).click();
  await nav.getByRole('link', { name: 'Timeline', exact: true }).click();
  await page.locator('#timeline-count', { hasText: '1 lane, 4 events' }).waitFor();
});

test('what was typed until a link is followed is there after Back', async (t) => {
  const { page } = await timeline(t, [...moments, ...outageOfDemo]);
  await page.evaluate(`(() => {
    const search = document.querySelector('#timeline-search');
    for (const value of ['s', 'sh', 'shop/etcd']) {
      search.value = value;
      search.dispatchEvent(new Event('input'));
    }
    document.querySelector('nav a[href="#services"]').click();
  })()`);
  await page.locator('#services-title').waitFor();
  await page.goBack();
  await page.locator('#timeline-count', { hasText: /^1 lane/ }).waitFor();
  assert.equal(await page.locator('#timeline-search').inputValue(), 'shop/etcd');
});

test('what a user types into the address is no more than text, and an unknown value is the initial one', async (t) => {
  const path = '/#timeline?only=pods&range=0000-01-01T00:00:00Z/9999-09-13T00:00:00Z&event=%3Cb%3E';
  const { page, consoleLines } = await timeline(t, outageOfDemo, { path });
  for (const [address, count] of [
    ['#timeline?range=9999999999999999999s', '1 lane, 4 events'],
    ['#timeline?range=1s/2s&event=2026-01-01T00:00:00Z/x', '1 lane, 3 events'],
  ] as const) {
    await page.evaluate(`location.hash = ${JSON.stringify(address)}`);
    await page.locator('#timeline-count', { hasText: count }).waitFor();
  }
  await page.getByRole('button', { name: 'all', exact: true, pressed: true }).waitFor();
  assert.deepEqual(consoleLines, []);
});

test('what was done, in the overview, leads to such events in the timeline, and Back returns', async (t) => {
  const { page, server } = await timeline(t, [...moments, ...outageOfDemo]);
  server.overview = overviewView();
  const nav = page.getByRole('navigation', { name: 'Views' });
  await nav.getByRole('link', { name: 'Overview', exact: true }).click();
  await page.getByRole('link', { name: 'pods deleted 3', exact: true }).click();
  await page.locator('#timeline-count', { hasText: '2 lanes, 2 events' }).waitFor();
  assert.deepEqual(
    await page.locator('#moments tr').evaluateAll((rows) => rows.map((row) => row.getAttribute('data-what'))),
    ['pod.deleted', 'pod.deleted'],
  );
  await page.getByRole('button', { name: 'deletion', pressed: true }).waitFor();
  await page.goBack();
  await page.locator('#overview-title').waitFor();
});
