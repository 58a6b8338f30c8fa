import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@weeder/kube-runtime/testing';
import type { PageMessage } from '@weeder/live-page';
import { hello, scene, serviceView } from '@weeder/live-page/scenes';
import { openPage } from './support/browser.ts';

const now = Date.UTC(2026, 10, 21, 14, 3, 7);

test('a weeder that sends nothing is noticed within seconds, the time stops, and the page shows when it is back', async (t) => {
  const { page, server } = await openPage(
    t,
    (server) => {
      server.greeting = scene(now);
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
  const announced =
    /^weeder does not respond\. The page shows the state of 21 Nov 2026, 14:03:0\d .*\(2026-11-21T14:03:0\dZ\)\.$/;
  assert.match((await page.getByRole('status').textContent()) ?? '', announced);
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

test('a standby says so, and who leads, until it leads itself', async (t) => {
  const { page, server, consoleLines } = await openPage(t, (server) => {
    const services: PageMessage = { type: 'services', services: [] };
    server.greeting = [hello(now), { type: 'leadership', state: 'standingBy', holder: 'weeder-0_abc' }, services];
  });
  await page.getByText('This weeder is a standby: the leader is weeder-0_abc. It').waitFor();
  assert.equal(await page.locator('#leadership').textContent(), 'standby');
  await page.locator('#services').getByText('weeder watches no service.').waitFor({ state: 'hidden' });
  server.send({ type: 'leadership', state: 'electing', holder: undefined });
  await page.getByText('This weeder is a standby: the leader is not known.').waitFor();
  server.send({ type: 'leadership', state: 'leading', holder: 'weeder-1_def' });
  await page.locator('#standby').waitFor({ state: 'hidden' });
  await page.locator('#leadership').getByText('leader', { exact: true }).waitFor();
  await page.locator('#services').getByText('weeder watches no service.').waitFor();
  assert.deepEqual(consoleLines, []);
});

test('without leader election the page says nothing of it', async (t) => {
  const { page } = await openPage(t, (server) => {
    server.greeting = scene(now);
  });
  await page.locator('[data-connection=live]').waitFor();
  assert.equal(await page.locator('#standby').isVisible(), false);
  assert.equal(await page.locator('#leadership').isVisible(), false);
});

test('a lost connection is shown immediately, and missed changes appear after a reconnect', async (t) => {
  const { page, server } = await openPage(t, (server) => {
    server.greeting = scene(now);
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
  await page.getByRole('link', { name: 'new', exact: true }).waitFor();
  assert.equal(await page.locator('#services-table tbody tr').count(), 1);
});

test('outages and windows are announced, many of them in one sentence', async (t) => {
  const { page, server } = await openPage(t, (server) => {
    server.greeting = [hello(now)];
  });
  await page.locator('[data-connection=live]').waitFor();
  for (const name of ['a', 'b', 'c', 'd', 'e'])
    server.send({
      type: 'moment',
      moment: { t: now, what: 'service.notReady', words: 'service is down', about: `shop/${name}`, detail: '' },
    });
  server.send({
    type: 'moment',
    moment: { t: now, what: 'pod.deleted', words: 'pod deleted', about: 'shop/a', detail: '' },
  });
  const status = page.getByRole('status');
  await status.getByText('shop/a is down, shop/b is down, shop/c is down, and 2 more.').waitFor();
});
