import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applicationScene, applicationView, resourceView, scene } from '@weeder/live-page/scenes';
import { openPage } from './support/browser.ts';

const now = Date.UTC(2026, 10, 21, 14, 3, 7);
const path = '/#applications';

test('each resource has its state, the desired and live value of each drift, the conflicting manager, and its corrections', async (t) => {
  const { page, server, consoleLines } = await openPage(
    t,
    (server) => {
      server.greeting = scene(now);
      server.applications = applicationScene(now);
    },
    { path, timezoneId: 'UTC' },
  );
  const row = (name: string) => page.getByRole('row', { name }).first();
  const api = row('Deployment shop/api');
  await api.getByText('changed by kubectl-edit/Update, corrected in 7s').waitFor();
  assert.equal(await api.locator('del').first().textContent(), 'desired: "registry.example/api:1.9.2"');
  assert.equal(await api.locator('ins').first().textContent(), 'found: "api:debug"');
  assert.equal(await row('Secret shop/api').locator('.difference').textContent(), '.data.token (changed)');
  await row('Service shop/search').getByText('its entry of the schema has errors').waitFor();
  await page.getByText('Mode detect: drift is only reported.').waitFor();

  const history = api.locator('summary');
  assert.equal(await history.textContent(), '3 corrections, last at 14:03:01');
  await history.focus();
  await page.keyboard.press('Enter');
  await api.getByText('14:01:37, changed by kubectl-edit/Update').waitFor();
  server.ahead = 4_000;
  await api.getByText('corrected in 3s').waitFor();
  assert.equal(await api.locator('details').getAttribute('open'), '', 'what was opened stays open');
  assert.equal(await page.evaluate('document.activeElement.tagName'), 'SUMMARY');

  await page.locator('#applications-search').fill('shop/web');
  await page.locator('#applications-count', { hasText: '1 of 4' }).waitFor();
  await row('Deployment shop/web').getByText('14 fields observed').waitFor();
  await page.getByRole('link', { name: 'shop/web', exact: true }).click();
  await page.waitForURL(/#application=shop%2Fweb$/);
  assert.deepEqual(consoleLines, []);
});

test('a screen reader finds a table with its columns at every width, and the page is no wider than the window', async (t) => {
  for (const width of [1280, 360]) {
    const { page, consoleLines } = await openPage(
      t,
      (server) => {
        server.greeting = scene(now);
        server.applications = applicationScene(now);
      },
      { path, viewport: { width, height: 720 } },
    );
    const table = page.getByRole('table', { name: 'Applications' });
    await table.getByRole('row', { name: 'Deployment shop/api' }).waitFor();
    const columns = await table.getByRole('columnheader').allTextContents();
    assert.deepEqual(columns, ['Application and resource', 'State', 'Reason and differences', 'Corrections']);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
    assert.deepEqual(consoleLines, []);
    await page.close();
  }
});

test('a corrected drift disappears from the page, and a page without applications has a sentence', async (t) => {
  const { page, server } = await openPage(
    t,
    (server) => {
      server.greeting = scene(now);
      const drifts = [{ path: '.data.a', type: 'changed', desired: '"1"', found: '"2"' }] as const;
      const waiting = { state: 'backingOff', drifts, reason: 'The API server is busy.', until: now + 7_000 };
      server.applications = [applicationView('shop/web', { resources: [resourceView('ConfigMap shop/web', waiting)] })];
    },
    { path },
  );
  await page.locator('.difference').waitFor();
  await page.getByText('The API server is busy, tried again in 7s', { exact: true }).waitFor();
  server.applications = [applicationView('shop/web', { resources: [resourceView('ConfigMap shop/web')] })];
  await page.locator('.difference').waitFor({ state: 'detached' });
  await page.locator('[data-state=inSync]').waitFor();
  server.applications = [];
  await page.getByText('The application observer manages no application.').waitFor();
});
