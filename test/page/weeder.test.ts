import assert from 'node:assert/strict';
import { test } from 'node:test';
import { shown } from '../support/page/servedPage.ts';
import { visit } from './support/browser.ts';

test('a running weeder shows an outage, a recovery, and its window, without console output', async (t) => {
  await using weeder = await shown({ service: { onStart: 'never' } }, (before) => {
    before.slice({ ready: [true] });
  });
  const { page, consoleLines, origins } = await visit(t, `${weeder.served.url}#services`);
  await page.getByText('Ready', { exact: true }).waitFor();
  weeder.at.slice({ ready: [false] });
  await page.getByText(/^Down for \d+s$/).waitFor();
  await page.getByRole('link', { name: 'etcd-main-client', exact: true }).click();
  await page.locator('#object-state', { hasText: /^Down for \d+s$/ }).waitFor();
  await page.getByRole('link', { name: 'Zoom and transitions', exact: true }).click();
  await page.locator('#picture .box.lit[data-state="notReady.idle"]').waitFor();
  weeder.at.slice({ ready: [true] });
  await page.locator('#picture .box.lit[data-state="ready.windowOpen.settled"]').waitFor();
  await page.locator('#picture .taken:is(.arrow,.exit)').first().waitFor({ state: 'attached' });
  await page.getByRole('link', { name: 'Actors', exact: true }).click();
  await page.locator('.actor', { hasText: 'dependants-1-1' }).first().waitFor();
  await page.getByRole('link', { name: 'Timeline', exact: true }).click();
  await page.locator('.lane .outage').waitFor({ state: 'attached' });
  await page.locator('.lane .window').waitFor({ state: 'attached' });
  await page.locator('tr[data-what="window.opened"]').waitFor();
  assert.deepEqual(consoleLines, []);
  assert.deepEqual([...origins], [new URL(weeder.served.url).origin]);
});
