import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { folder, startCli } from '../support/cli.ts';
import { recordIncident } from '../support/recording.ts';
import { until } from '../support/until.ts';
import { visit } from './support/browser.ts';

test('a recording is opened offline, stepped through, played at speed, paused, and sought back, by its controls', async (t) => {
  const { file } = await recordIncident(join(folder, 'page.jsonl'));
  const weeder = startCli(['replay', file, '--ui', '--ui-bind-addr', '127.0.0.1:0']);
  t.after(() => weeder.child.kill('SIGKILL'));
  await until('the page is served', () => /http:\S+/.test(weeder.stdout()));
  const url = /http:\S+/.exec(weeder.stdout())?.[0] ?? '';
  const { page, said, origins } = await visit(t, `${url}#timeline`, { timezoneId: 'UTC' });
  await page.locator('#mode', { hasText: 'replay' }).waitFor();
  const happened = page.locator('#moments tr');
  assert.equal(await happened.count(), 0);

  await page.getByRole('button', { name: 'Step' }).click();
  await page.locator('tr[data-what="service.ready"]').waitFor();
  await page.getByRole('button', { name: 'Step' }).click();
  await page.locator('tr[data-what="service.notReady"]').waitFor();
  const lane = page.locator('.lane').first();
  await lane.locator('.outage').waitFor({ state: 'attached' });
  assert.equal(await lane.locator('.window').count(), 0);

  await page.getByLabel('Speed').selectOption('64');
  await page.getByRole('button', { name: 'Play' }).click();
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  await lane.locator('.window').waitFor({ state: 'attached' });
  await lane.locator('.deletion').first().waitFor({ state: 'attached' });
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('button', { name: 'Play' }).waitFor();
  const at = await page.locator('#replay-time').textContent();
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 1200))');
  assert.equal(await page.locator('#replay-time').textContent(), at);

  await page.getByLabel('Time in the recording').press('Home');
  await lane.locator('.outage').waitFor({ state: 'detached' });
  await page.getByLabel('Time in the recording').press('End');
  await page.locator('tr[data-what="window.closed"]').waitFor();
  assert.deepEqual(said, []);
  assert.deepEqual([...origins], [new URL(url).origin]);
});
