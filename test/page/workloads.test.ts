import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scene, workloadScene, workloadView } from '@weeder/live-page/scenes';
import { openPage } from './support/browser.ts';

const now = Date.UTC(2026, 10, 21, 14, 3, 7);

test('each workload has its state, the reason and the time left, its sources, and its last restart', async (t) => {
  const { page, server, consoleLines } = await openPage(
    t,
    (server) => {
      server.greeting = scene(now);
      server.workloads = [
        workloadView('api'),
        workloadView('web', {
          state: 'blocked',
          reason: 'ConfigMap shop/settings is missing',
          until: now + 90_000,
          sources: ['ConfigMap settings#a', 'Secret login'],
          restarts: [now - 3_600_000],
          cause: 'ConfigMap settings (a)',
        }),
      ];
    },
    { path: '/#workloads' },
  );
  const web = page.locator('#workloads-table tbody tr', { hasText: 'shop/web' });
  await web.getByText('ConfigMap shop/settings is missing, checked again in 1m 30s').waitFor();
  await web.getByText('ConfigMap settings#a, Secret login').waitFor();
  await web.getByText(', ConfigMap settings (a)').waitFor();
  server.ahead = 4_000;
  await web.getByText('checked again in 1m 26s').waitFor();
  await page.locator('#workloads-search').fill('login');
  await page.locator('#workloads-count', { hasText: '1 of 2' }).waitFor();
  server.workloads = [workloadView('api')];
  await page.getByText('No workload matches.').waitFor();
  await page.locator('#workloads-search').fill('');
  await page.getByRole('link', { name: 'Deployment shop/api', exact: true }).click();
  await page.getByRole('heading', { name: 'Deployment shop/api', exact: true }).waitFor();
  assert.match(page.url(), /#workload=Deployment%20shop%2Fapi$/);
  assert.deepEqual(consoleLines, []);
});

test('of 2,000 workloads the visible ones are in the page, a search finds every one, and the focus does not move over time', async (t) => {
  const { page, server, consoleLines } = await openPage(
    t,
    (server) => {
      server.greeting = scene(now);
      server.workloads = Array.from({ length: 2_000 }, (_, n) =>
        workloadView(`web-${String(n).padStart(4, '0')}`, { since: now - 60_000 }),
      );
    },
    { path: '/#workloads' },
  );
  const rows = page.locator('#workloads-table tbody tr');
  await page.locator('#workloads-count', { hasText: '2,000' }).waitFor();
  assert.ok((await rows.count()) < 100);
  const link = page.getByRole('link', { name: 'Deployment shop/web-0003', exact: true });
  await link.focus();
  server.ahead = 5_000;
  await rows.first().getByText('for 1m 05s').waitFor();
  assert.equal(await page.evaluate('document.activeElement.textContent'), 'Deployment shop/web-0003');
  await page.locator('#workloads-search').fill('web-1999');
  await page.locator('#workloads-count', { hasText: '1 of 2,000' }).waitFor();
  const focused = () => page.evaluate<string>('document.activeElement.textContent');
  for (let steps = 0; (await focused()) !== 'Deployment shop/web-1999'; steps += 1) {
    assert.ok(steps < 8, 'the link of the workload is not reached');
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Enter');
  await page.waitForURL(/#workload=Deployment%20shop%2Fweb-1999$/);
  assert.deepEqual(consoleLines, []);
});

test('a screen reader finds a table with its columns at every width; a time of another day has its date', async (t) => {
  for (const width of [1280, 360]) {
    const { page, consoleLines } = await openPage(
      t,
      (server) => {
        server.greeting = scene(now);
        server.workloads = workloadScene(now);
      },
      { path: '/#workloads', viewport: { width, height: 720 }, timezoneId: 'UTC' },
    );
    const table = page.getByRole('table', { name: 'Workloads' });
    await table.getByRole('row', { name: 'Deployment shop/mail' }).waitFor();
    const columns = await table.getByRole('columnheader').allTextContents();
    assert.deepEqual(columns, ['Workload', 'State', 'Reason and duration', 'Uses', 'Last restart']);
    const row = table.getByRole('row', { name: 'Deployment shop/mail' });
    assert.equal(await row.getByRole('rowheader').textContent(), 'Deployment shop/mail');
    const [state, , uses, last] = await row.getByRole('cell').allTextContents();
    assert.deepEqual(
      [state, uses, last],
      ['Restart pending', 'Secret mail', '20 Nov 2026, 14:03:07, Secret mail (password)'],
    );
    const api = table.getByRole('row', { name: 'Deployment shop/api' });
    assert.match(
      (await api.getByRole('cell').nth(1).textContent()) ?? '',
      /^for\u00a0\d+s$/,
      'not how long its deadline is away',
    );
    assert.deepEqual(consoleLines, []);
    await page.close();
  }
});

test('a restart is in the timeline, as a mark and as a row, and is announced', async (t) => {
  const { page, server } = await openPage(
    t,
    (server) => {
      server.greeting = scene(now);
    },
    { path: '/#timeline' },
  );
  await page.locator('.lane .deletion').first().waitFor({ state: 'attached' });
  const about = 'Deployment shop/web';
  server.send({
    type: 'moment',
    moment: {
      t: now - 60_000,
      what: 'workload.restarted',
      words: 'restarted',
      about,
      detail: 'ConfigMap settings (key a)',
    },
  });
  await page.locator(`[data-about="${about}"] .restart`).waitFor({ state: 'attached' });
  await page.locator('#moments').getByText('ConfigMap settings (key a)').waitFor();
  await page.locator('#announcements', { hasText: `${about} is restarted` }).waitFor({ state: 'attached' });
});
