import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hello, overviewView, processView, scene } from '@weeder/live-page/scenes';
import { outageScene } from '../support/scene/outageScene.ts';
import { openPage, visit } from './support/browser.ts';

const now = Date.UTC(2026, 10, 21, 14, 3, 7);
const lineOf = (object: string) => ({ object, page: undefined, words: 'Down', since: now, next: undefined });

test('in a large outage everything that is wrong is in a window of 1400 × 900, and the worst five at 360 × 740', async (t) => {
  await using shown = await outageScene();
  for (const [width, height, visible] of [
    [1400, 900, 40],
    [360, 740, 5],
  ] as const) {
    const { page, consoleLines } = await visit(t, shown.served.url, { viewport: { width, height } });
    const lines = page.locator('#overview-problems li');
    await lines.nth(39).waitFor();
    assert.equal(await lines.count(), 40);
    const boxes = await Promise.all((await lines.all()).slice(0, visible).map((line) => line.boundingBox()));
    assert.ok(boxes.every((box) => box !== null && box.x + box.width <= width && box.y + box.height <= height));
    assert.match(
      (await lines.first().textContent()) ?? '',
      /^Service team-02\/name-1 Down for .*, 3 crash-looping · since/,
    );
    assert.deepEqual(consoleLines, []);
    await page.close();
  }
});

test('in a large outage the rows with a problem are those of the overview, and none of them has the sign of health', async (t) => {
  await using shown = await outageScene();
  // Only visible rows are in the page.
  const { page } = await visit(t, shown.served.url, { viewport: { width: 1400, height: 16_000 } });
  const rowsOf = async (view: string, total: number) => {
    await page.goto(`${shown.served.url}#${view}`);
    const rows = page.locator(`#${view}-table tbody tr:not(.resource)`);
    await rows.nth(total - 1).waitFor();
    assert.equal(await rows.count(), total);
    const isProblem = (health: string) => page.locator(`.state[data-health="${health}"]`);
    const bad = rows.filter({ has: isProblem('degraded') });
    assert.equal(await bad.filter({ has: isProblem('healthy') }).count(), 0);
    return bad.count();
  };
  await page.locator('#overview-problems li').nth(39).waitFor();
  const problems = [await rowsOf('services', 301), await rowsOf('workloads', 33), await rowsOf('applications', 40)];
  assert.deepEqual(problems, [32, 3, 5]);
  assert.equal(await page.locator('#overview-problems li').count(), 40);
});

test('a calm overview says so and since when, and a controller that is off shows the config that turns it on', async (t) => {
  const { page, server, consoleLines } = await openPage(
    t,
    (server) => {
      server.greeting = scene(now);
      server.overview = overviewView();
    },
    { path: '/', timezoneId: 'UTC' },
  );
  await page
    .locator('#overview-calm', { hasText: 'All 300 services ready, nothing waits, since 1 Jan 1970, 00:00:00.' })
    .waitFor();
  await page.getByText('restartControl:').waitFor();
  for (const name of ['pods deleted 3', 'back-off saved 10m 05s'])
    await page.getByRole('link', { name, exact: true }).waitFor();
  assert.equal(await page.locator('#overview-problems-title').isVisible(), false);
  server.overview = overviewView({
    problems: [{ severity: 'down', view: 'services', total: 1_000, lines: [lineOf('Service shop/db')] }],
  });
  await page.getByRole('link', { name: 'Service shop/db', exact: true }).waitFor();
  assert.equal(await page.locator('#overview-calm').isVisible(), false);
  await page.getByRole('link', { name: '999 more', exact: true }).click();
  await page.locator('#services-title').waitFor();
  assert.deepEqual(consoleLines, []);
});

test('the head of every view names the cluster, the replica and the config, and what keeps weeder from its work', async (t) => {
  const { page, server } = await openPage(
    t,
    (server) => {
      server.greeting = [hello(now), { type: 'process', process: processView() }];
    },
    { path: '/#workloads' },
  );
  const facts = page.locator('#process');
  await facts.getByText(/^cluster kind-shop \(Kubernetes v1\.36\.3\) · replica weeder-6b7f · all namespaces/).waitFor();
  await facts.getByText('config 1a2b3c4d, in force since ').waitFor();
  const problems = page.locator('#process-problems');
  assert.equal(await problems.isVisible(), false);
  const forbidden = 'pods is forbidden. Grant it.';
  const streams = [
    ...['a', 'b', 'c', 'd', 'e'].map((app) => ({ name: `pods app=${app}`, problem: forbidden })),
    ...['a', 'b', 'c', 'd'].map((name) => ({
      name: `secrets in ${name}`,
      problem: `secrets are forbidden in ${name}`,
    })),
  ];
  const config = { hash: '1a2b3c4d', appliedAt: now, rejected: 'weeder.yaml:3: unknown key' };
  server.send({ type: 'process', process: processView({ version: undefined, config, streams }) });
  await facts.getByText('cluster kind-shop · replica').waitFor();
  await problems
    .getByText('The new config is rejected, the one before stays in force: weeder.yaml:3: unknown key.')
    .waitFor();
  const names = 'pods app=a, pods app=b, pods app=c and 2 more streams';
  await problems.getByText(`weeder cannot read ${names}: pods is forbidden. Grant it. weeder cannot`).waitFor();
  await problems.getByText('secrets in b: secrets are forbidden in b. 2 more problems like these.').waitFor();
});
