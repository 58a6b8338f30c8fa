import assert from 'node:assert/strict';
import { test } from 'node:test';
import { until } from '@weeder/kube-runtime/testing';
import { startCli } from '../support/cli.ts';
import { overviewOf } from '../support/page/overviewOf.ts';
import { visit } from './support/browser.ts';

/** Starts to collect the states that the page highlights, in order. */
const collectLit = `window.lit = []; new MutationObserver((all) => {
  for (const { target } of all)
    if (target.matches('.box.lit')) window.lit.push(target.dataset.state);
}).observe(document.getElementById('picture'), { subtree: true, attributes: true, attributeFilter: ['class'] })`;

test('the demo with the page: pods crash-loop, their deletions are highlighted, counted and drawn; a hang is shown', async (t) => {
  const demo = startCli(['demo', '--ui-bind-addr', '127.0.0.1:0', '--speed=5', '--outage=1m0s', '--replicas=3']);
  t.after(() => demo.child.kill('SIGKILL'));
  await until('the page is served', () => /page: http:\S+/.test(demo.stdout()));
  const url = /http:\S+/.exec(demo.stdout())?.[0] ?? '';
  // The outage begins when a page is open: this page has to show all of it.
  const first = await visit(t, `${url}#machine=newest:podDeletion`);
  const machine = first.page;
  await machine.locator('.box').first().waitFor();
  await machine.evaluate(collectLit);
  const second = await visit(t, `${url}#services`);
  const services = second.page;
  const row = services.locator('#services-table tbody tr', { hasText: 'etcd-main-client' });
  await row.getByText(/^Down for \d+s$/).waitFor();
  await row.locator('[data-label=Crash-looping]', { hasText: /^[123]$/ }).waitFor();
  assert.equal(await row.locator('[data-label=Deleted]').textContent(), '0');

  await row.getByText('Window open').waitFor();
  await row.locator('[data-label=Deleted]', { hasText: '3' }).waitFor();
  await row.getByText(/^[1-4]m \d\ds left$/).waitFor();
  await machine.getByText('deleted (it has ended)').waitFor();
  const lit = await machine.evaluate<string[]>('window.lit');
  const states = ['attempting.queued', 'attempting.deleting', 'deleted'];
  assert.deepEqual(
    lit.filter((state) => states.includes(state)).filter((state, index, all) => all.indexOf(state) === index),
    states,
  );
  await machine.locator('.box.lit[data-state="deleted"]').waitFor();
  assert.deepEqual((await machine.locator('#machine-transitions .event').allTextContents()).slice(0, 2), [
    'delete.accepted',
    'slot.granted',
  ]);

  await services.getByRole('link', { name: 'Timeline', exact: true }).click();
  const lane = services.locator('.lane[data-about$="/etcd-main-client"]');
  await services.locator('tr[data-what="pod.deleted"]').nth(2).waitFor({ state: 'attached' });
  await lane.locator('.deletion').first().waitFor({ state: 'attached' });
  const drawn = ['.outage', '.recovery', '.window'].map((each) => lane.locator(each).count());
  assert.deepEqual(await Promise.all(drawn), [1, 1, 1]);
  assert.equal(await services.locator('tr[data-what="pod.deleted"]').count(), 3);
  assert.deepEqual([...first.consoleLines, ...second.consoleLines], []);
  assert.deepEqual([...first.origins, ...second.origins], [new URL(url).origin, new URL(url).origin]);

  demo.child.kill('SIGSTOP');
  await services.locator('[data-connection=silent]').waitFor();
  demo.child.kill('SIGCONT');
  await services.locator('[data-connection=live]').waitFor();
  demo.child.kill('SIGKILL');
  await services.locator('[data-connection=broken]').waitFor();
});

test('the demo of restart control with the page: workloads go through their states, and each restart is drawn', async (t) => {
  const demo = startCli(['demo', 'restart', '--ui-bind-addr', '127.0.0.1:0', '--speed=8']);
  t.after(() => demo.child.kill('SIGKILL'));
  await until('the page is served', () => /page: http:\S+/.test(demo.stdout()));
  const url = /http:\S+/.exec(demo.stdout())?.[0] ?? '';
  const { page, consoleLines } = await visit(t, `${url}#workloads`);
  await page
    .getByText(/^cluster demo · replica weeder · all namespaces · config [0-9a-f]{8}, in force since /)
    .waitFor();
  const rowOf = (name: string) => page.locator('#workloads-table tbody tr', { hasText: name });
  await rowOf('Deployment shop/web').getByText('ConfigMap shop-settings#greeting').waitFor();
  // The page is served before the demo has its controllers.
  const { controllers } = await overviewOf(url);
  assert.deepEqual(
    controllers.map(({ name, state }) => [name, state]),
    [
      ['weeder', 'off'],
      ['restart control', 'on'],
      ['the application observer', 'off'],
    ],
  );
  await page.locator('#workloads-count', { hasText: /^5$/ }).waitFor();
  await rowOf('Deployment shop/web').getByText(', ConfigMap shop-settings (greeting)').waitFor();
  await page.getByRole('link', { name: 'Timeline', exact: true }).click();
  await page.locator('.lane[data-about="Deployment shop/cart"] .restart').first().waitFor({ state: 'attached' });
  // In the table of workloads the state lasts as long as the ConfigMap is missing, which is short at this speed.
  const blocked = page.locator('tr[data-what="workload.blocked"]', { hasText: 'ConfigMap shop/features is missing' });
  await blocked.first().waitFor({ state: 'attached' });
  await page.locator('tr[data-what="workload.restarted"]').first().waitFor({ state: 'attached' });
  assert.deepEqual(consoleLines, []);
});

test('the demo of the observer with the page: the application has its resources, and each correction is counted and drawn', async (t) => {
  const demo = startCli(['demo', 'observer', '--ui-bind-addr', '127.0.0.1:0']);
  t.after(() => demo.child.kill('SIGKILL'));
  await until('the page is served', () => /page: http:\S+/.test(demo.stdout()));
  const url = /http:\S+/.exec(demo.stdout())?.[0] ?? '';
  const { page, consoleLines } = await visit(t, `${url}#applications`);
  const deployment = page.getByRole('row', { name: 'Deployment shop/nginx' });
  await deployment.locator('[data-state=inSync]').waitFor();
  await deployment.locator('summary', { hasText: /^2 corrections/ }).waitFor();
  await page.getByRole('link', { name: 'Timeline', exact: true }).click();
  await page.locator('.lane[data-about="Application shop/nginx"] .correction').first().waitFor({ state: 'attached' });
  await page.locator('tr[data-what="resource.corrected"]').first().waitFor({ state: 'attached' });
  assert.deepEqual(consoleLines, []);
});
