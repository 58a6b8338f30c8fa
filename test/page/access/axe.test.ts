import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PageMessage } from '@weeder/live-page';
import {
  actorView,
  applicationScene,
  dependencyScene,
  hello,
  manyActors,
  objectScene,
  overviewScene,
  processView,
  scene,
  suggestionView,
  workloadScene,
} from '@weeder/live-page/scenes';
import type { BrowserContextOptions, Page } from 'playwright-core';
import type { PageServer } from '../../support/page/pageServer.ts';
import { axeOf } from '../support/axe.ts';
import { openPage } from '../support/browser.ts';

const now = Date.UTC(2026, 10, 21, 14, 3, 7);

/** What is in a view when it is shown with its data, by the address of the view. */
const views: Readonly<Record<string, string>> = {
  overview: '#overview-problems li',
  services: '#services .state',
  dependencies: '.dependency-box',
  'dependencies?suggestions=on': '.dependency-box.suggested',
  workloads: '#workloads .state',
  applications: '#applications .state',
  'machine=shop%2Fdb': '.box.lit',
  'service=shop%2Fdb': '#object-picture .box.lit',
  actors: '.actor .id',
  timeline: '.lane',
};

function everything(server: PageServer, messages: readonly PageMessage[] = []): void {
  const config = { hash: '1a2b3c4d', appliedAt: now, rejected: 'weeder.yaml:3: unknown key' };
  const process: PageMessage = { type: 'process', process: processView({ config }) };
  server.greeting = [...scene(now), process, { type: 'actor', actor: actorView('shop/db') }, ...messages];
  server.actors = manyActors(100);
  server.dependencies = dependencyScene(now);
  server.suggestions = { found: 1, suggestions: [suggestionView('db', 'stock')], problems: [] };
  server.overview = overviewScene(now);
  server.object = objectScene(now);
  server.workloads = workloadScene(now);
  server.applications = applicationScene(now);
}

async function assertNone(page: Page, what: string, shown = Object.entries(views)): Promise<void> {
  const violations = await axeOf(page);
  for (const [address, content] of shown) {
    await page.evaluate(`location.hash = '${address}'`);
    await page.locator(content).first().waitFor({ state: 'attached' });
    assert.deepEqual(await violations(), [], `${address} ${what}`);
  }
}

const windows: readonly BrowserContextOptions[] = [
  { viewport: { width: 1400, height: 900 }, colorScheme: 'light' },
  { viewport: { width: 1400, height: 900 }, colorScheme: 'dark' },
  { viewport: { width: 360, height: 740 }, colorScheme: 'light' },
  { viewport: { width: 360, height: 740 }, colorScheme: 'dark' },
];

for (const options of windows) {
  const { width } = options.viewport ?? {};
  test(`no view violates a rule of axe in a ${options.colorScheme} window of ${width} pixels`, async (t) => {
    const { page } = await openPage(t, everything, options);
    await assertNone(page, 'live');
  });
}

const clock = { now, startsAt: now - 60_000, endsAt: now + 60_000, isPlaying: false, speed: 1 };
const modes: Readonly<Record<string, (server: PageServer) => void>> = {
  replay: (server) => everything(server, [hello(now, 'replay'), { type: 'clock', ...clock }]),
  'dry run': (server) => everything(server, [{ type: 'hello', version: '0.1.0', mode: 'live', now, isDryRun: true }]),
  standby: (server) => everything(server, [{ type: 'leadership', state: 'standingBy', holder: 'weeder-2' }]),
};

for (const [mode, prepare] of Object.entries(modes)) {
  test(`no view violates a rule of axe in a ${mode}`, async (t) => {
    const { page } = await openPage(t, prepare);
    await assertNone(page, mode);
  });
}

test('no view violates a rule of axe without a connection, and axe finds a violation', async (t) => {
  const { page, server } = await openPage(t, everything);
  await page.locator('#services .state').first().waitFor();
  server.isFull = true;
  server.cut();
  await page.locator('#notice').waitFor();
  // An actor arrives by the connection.
  const polled = Object.entries(views).filter(([address]) => !address.startsWith('machine'));
  await assertNone(page, 'without a connection', polled);
  await page.evaluate(
    "document.getElementById('timeline-search').closest('label').replaceWith(document.createElement('input'))",
  );
  const violations = await axeOf(page);
  assert.deepEqual(await violations(), ['label: <input>']);
});
