import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test } from 'node:test';
import { until } from '@weeder/kube-runtime/testing';
import { scene } from '@weeder/live-page/scenes';
import { folder, startCli } from '../support/cli.ts';
import { recordObserved } from '../support/recording/recordedObserver.ts';
import { recordIncident } from '../support/recording/recording.ts';
import { configMap } from '../support/world/observerWorld.ts';
import { openPage, visit } from './support/browser.ts';

test('a recording is opened offline at its first incident, stepped through, played at speed, paused, and sought back, by its controls', async (t) => {
  const { file } = await recordIncident(join(folder, 'page.jsonl'));
  const weeder = startCli(['replay', file, '--ui', '--ui-bind-addr', '127.0.0.1:0']);
  t.after(() => weeder.child.kill('SIGKILL'));
  await until('the page is served', () => /http:\S+/.test(weeder.stdout()));
  const url = /http:\S+/.exec(weeder.stdout())?.[0] ?? '';
  const { page, consoleLines, origins } = await visit(t, `${url}#timeline`, { timezoneId: 'UTC' });
  await page.locator('#mode', { hasText: 'replay' }).waitFor();
  // The whole recording is there, and what was not played is dimmed.
  const happened = (what: string) => page.locator(`tr[data-what="${what}"]:not(.soft)`).first();
  const lane = page.locator('.lane').first();
  for (const mark of ['.outage', '.window', '.deletion'])
    await lane.locator(mark).first().waitFor({ state: 'attached' });
  await happened('service.notReady').waitFor();
  assert.equal(await page.locator('#moments tr:not(.soft)').count(), 2, 'nothing after the incident');
  await page.getByLabel('Time in the recording').press('Home');
  await happened('service.notReady').waitFor({ state: 'detached' });
  await happened('service.ready').waitFor();
  await page.getByRole('button', { name: 'Step' }).click();
  await happened('service.notReady').waitFor();
  assert.equal(await happened('window.opened').count(), 0);

  await page.getByLabel('Speed').selectOption('64');
  await page.getByRole('button', { name: 'Play' }).click();
  await page.getByRole('button', { name: 'Pause' }).waitFor();
  await happened('window.opened').waitFor();
  await happened('pod.deleted').waitFor();
  await page.getByRole('button', { name: 'Pause' }).click();
  await page.getByRole('button', { name: 'Play' }).waitFor();
  const at = await page.locator('#replay-time').textContent();
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 1200))');
  assert.equal(await page.locator('#replay-time').textContent(), at);

  await page.getByLabel('Time in the recording').press('Home');
  await happened('service.notReady').waitFor({ state: 'detached' });
  await page.getByLabel('Time in the recording').press('End');
  await happened('window.closed').waitFor();
  assert.deepEqual(consoleLines, []);
  assert.deepEqual([...origins], [new URL(url).origin]);
});

test('the applications of a recording are shown with their diffs, wide and narrow, and disappear when it is sought back', async (t) => {
  const path = join(folder, 'applications.jsonl');
  await recordObserved(path, async (world) => {
    world.apply('web', { manifests: [configMap('settings'), configMap('features')] });
    await world.pass(10_000);
    for (const value of ['b', 'c']) {
      world.edit('ConfigMap/settings', { data: { key: value } });
      await world.pass(100);
    }
    await world.pass(60_000);
  });
  const weeder = startCli(['replay', path, '--ui', '--ui-bind-addr', '127.0.0.1:0']);
  t.after(() => weeder.child.kill('SIGKILL'));
  await until('the page is served', () => /http:\S+/.test(weeder.stdout()));
  const url = /http:\S+/.exec(weeder.stdout())?.[0] ?? '';
  for (const width of [1280, 360]) {
    const { page, consoleLines } = await visit(t, `${url}#applications`, { viewport: { width, height: 720 } });
    // The slider can be moved only after it shows the progress of the replay.
    await page.locator('#replay-time', { hasText: ' of ' }).waitFor();
    await page.getByLabel('Time in the recording').press('Home');
    await page.getByText('The application observer manages no application.').waitFor();
    const row = page.getByRole('row', { name: 'ConfigMap shop/settings' });
    // The second drift waits two seconds for its correction.
    await page.evaluate(seekingTo(11_000));
    await row.getByText('corrected in').waitFor();
    assert.equal(await row.locator('del').first().textContent(), 'desired: "a"');
    assert.equal(await row.locator('ins').first().textContent(), 'found: "c"');
    assert.match((await row.locator('summary').textContent()) ?? '', /^1 correction, last at /);
    assert.equal(await page.evaluate('document.documentElement.scrollWidth <= innerWidth'), true);
    await page.getByLabel('Time in the recording').press('End');
    await row.locator('summary', { hasText: '2 corrections' }).waitFor();
    await row.locator('ins').first().waitFor({ state: 'hidden' });
    assert.deepEqual(consoleLines, []);
    await page.close();
  }
});

test('while weeder plays a recording up to the chosen time, the slider and the cursor are at that time', async (t) => {
  const now = Date.UTC(2026, 10, 21, 14, 3, 7);
  const clock = { type: 'clock', now, startsAt: now - 1_000_000, endsAt: now, isPlaying: false, speed: 1 } as const;
  const { page, server } = await openPage(
    t,
    (server) => {
      server.greeting = [...scene(now), clock];
    },
    { path: '/#timeline', timezoneId: 'UTC' },
  );
  const time = page.locator('#replay-time', { hasText: '14:03:07 of 14:03:07' });
  await time.waitFor();
  const before = await page.locator('.cursor').getAttribute('x1');
  const { promise: isPlayed, resolve: play } = Promise.withResolvers<void>();
  await page.route('**/replay', async (route) => {
    await isPlayed;
    await route.fulfill({ status: 204 });
  });
  const slider = page.getByLabel('Time in the recording');
  await slider.press('PageDown');
  await page.getByText('14:01:27 of 14:03:07, seeking').waitFor();
  await page.waitForFunction(`Number(document.querySelector('.cursor').getAttribute('x1')) < ${before}`);
  await page.evaluate('new Promise((resolve) => setTimeout(resolve, 1200))');
  assert.equal(await slider.inputValue(), String(now - 100_000), 'also after the page was refreshed');
  server.send({ ...clock, now: now - 100_000 });
  play();
  await page.getByText('14:01:27 of 14:03:07', { exact: true }).waitFor();
});

/** Like the slider, which has no position for every millisecond; `to`: since the start of the recording. */
function seekingTo(to: number): string {
  const headers = { 'content-type': 'application/json' };
  const body = `JSON.stringify({ do: 'seek', to: Number(document.querySelector('#seek').min) + ${to} })`;
  return `fetch('/replay', { method: 'POST', headers: ${JSON.stringify(headers)}, body: ${body} })`;
}
