import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hello, scene, serviceView } from '../support/page/pageScene.ts';
import { until } from '../support/until.ts';
import { openPage } from './support/browser.ts';

const now = Date.UTC(2026, 10, 21, 14, 3, 7);

test('a weeder that sends nothing is noticed within seconds, the time stops, and the page shows when it is back', async (t) => {
  const { page, server } = await openPage(
    t,
    (its) => {
      its.greeting = scene(now);
    },
    { timezoneId: 'UTC' },
  );
  const chip = page.locator('#connection');
  await chip.getByText('connected', { exact: true }).waitFor();
  assert.equal(await page.locator('#notice').isVisible(), false);
  server.isHung = true;
  const hungAt = performance.now();
  await chip.getByText('no response').waitFor();
  const took = performance.now() - hungAt;
  assert(took < 15_000, `noticed after ${took} ms`);
  const sentence = /^weeder does not respond\. The page shows the state of 14:03:0\d\./;
  assert.match((await page.locator('#notice').textContent()) ?? '', sentence);
  assert.match((await page.getByRole('status').textContent()) ?? '', sentence);
  const left = await page.locator('.left', { hasText: 'left' }).textContent();
  const before = server.requests.filter((path) => path === '/events').length;
  await until(
    'it requests the events again',
    () => server.requests.filter((path) => path === '/events').length > before,
  );
  assert.equal(await page.locator('.left', { hasText: 'left' }).textContent(), left);
  server.isHung = false;
  await chip.getByText('connected', { exact: true }).waitFor();
  await page.getByRole('status').getByText('Connected again.').waitFor();
  assert.equal(await page.locator('#notice').isVisible(), false);
});

test('a lost connection is shown immediately, and missed changes appear after a reconnect', async (t) => {
  const { page, server } = await openPage(t, (its) => {
    its.greeting = scene(now);
  });
  await page.locator('[data-connection=live]').waitFor();
  server.isFull = true;
  server.cut();
  await page.locator('[data-connection=broken]').waitFor();
  await page.getByText('The connection to weeder is lost.').first().waitFor();
  await page.locator('[data-connection=refused]').waitFor();
  await page.getByText('too many pages are open: the maximum is 16.').first().waitFor();
  server.isFull = false;
  server.greeting = [hello(now), { type: 'services', services: [serviceView('new')] }];
  await page.locator('[data-connection=live]').waitFor();
  await page.getByRole('link', { name: 'new' }).waitFor();
  assert.equal(await page.locator('#services-table tbody tr').count(), 1);
});

test('outages and windows are announced, many of them in one sentence', async (t) => {
  const { page, server } = await openPage(t, (its) => {
    its.greeting = [hello(now)];
  });
  await page.locator('[data-connection=live]').waitFor();
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    server.send({ type: 'moment', moment: { t: now, what: 'service.notReady', about: `shop/${name}`, detail: '' } });
  server.send({ type: 'moment', moment: { t: now, what: 'pod.deleted', about: 'shop/a', detail: '' } });
  const status = page.getByRole('status');
  await status.getByText('shop/a is not ready, shop/b is not ready, shop/c is not ready, and 2 more.').waitFor();
});
