import assert from 'node:assert/strict';
import { test } from 'node:test';
import { scene, workloadView } from '../support/pageScene.ts';
import { openPage } from './support/browser.ts';

const now = Date.UTC(2026, 10, 21, 14, 3, 7);

test('each workload has its state, why and how much longer, what it uses, and its last restart', async (t) => {
  const { page, server, said } = await openPage(
    t,
    (its) => {
      its.greeting = scene(now);
      its.workloads = [
        workloadView('deployment/shop/api'),
        workloadView('deployment/shop/web', {
          state: 'held',
          reason: 'ConfigMap shop/settings is missing',
          until: now + 90_000,
          sources: ['ConfigMap settings#a', 'Secret login'],
          restartedAt: now - 3_600_000,
          cause: 'ConfigMap settings (a)',
        }),
      ];
    },
    { path: '/#workloads' },
  );
  const web = page.locator('#workloads-table tbody tr', { hasText: 'shop/web' });
  await web.getByText('ConfigMap shop/settings is missing (1m 30s left)').waitFor();
  await web.getByText('ConfigMap settings#a, Secret login').waitFor();
  await web.getByText(', ConfigMap settings (a)').waitFor();
  server.ahead = 4_000;
  await web.getByText('(1m 26s left)').waitFor();
  await page.locator('#workloads-search').fill('login');
  await page.locator('#workloads-count', { hasText: '1 of 2' }).waitFor();
  server.workloads = [workloadView('deployment/shop/api')];
  await page.getByText('No workload matches.').waitFor();
  await page.locator('#workloads-search').fill('');
  await page.getByRole('link', { name: 'deployment/shop/api' }).click();
  await page.locator('#machine-title').waitFor();
  assert.match(page.url(), /#machine=deployment%2Fshop%2Fapi$/);
  assert.deepEqual(said, []);
});

test('a restart is in the timeline, as a mark and as a row, and is announced', async (t) => {
  const { page, server } = await openPage(
    t,
    (its) => {
      its.greeting = scene(now);
    },
    { path: '/#timeline' },
  );
  await page.locator('.deletion').first().waitFor({ state: 'attached' });
  const about = 'deployment/shop/web';
  server.tell({
    type: 'moment',
    moment: { t: now - 60_000, what: 'workload.restarted', about, detail: 'ConfigMap settings (key a)' },
  });
  await page.locator(`[data-about="${about}"] .deletion`).waitFor({ state: 'attached' });
  await page.locator('#moments').getByText('ConfigMap settings (key a)').waitFor();
  await page.locator('#announcements', { hasText: `${about} is restarted` }).waitFor({ state: 'attached' });
});
