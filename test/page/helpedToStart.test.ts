import assert from 'node:assert/strict';
import { test } from 'node:test';
import { virtualClock } from '@weeder/kube-runtime/testing';
import { notPulled } from '../support/objects/objects.ts';
import { shown, shownWorld, startTime } from '../support/page/servedPage.ts';
import { creationWorld } from '../support/world/creationWorld.ts';
import { evicting, lateWorld, withVolumes } from '../support/world/lateWorld.ts';
import { configMap } from '../support/world/restartWorld.ts';
import { dependant, ready, siblingSettings } from '../support/world/siblings.ts';
import { minute } from '../support/world/simulation.ts';
import { visit } from './support/browser.ts';

test('the Service of a webhook is down, and then has a window in which objects are retried, not restarted', async (t) => {
  const clock = virtualClock(startTime);
  await using weeder = await shownWorld(
    clock,
    ({ report, inspect }) => creationWorld({ clock, inspect, podAfter: 0, report: (event) => report('weeder', event) }),
    ({ weeder }) => ({ weeder }),
  );
  const { at, served } = weeder;
  const { page, consoleLines } = await visit(t, `${served.url}#services`);
  const row = page.locator('#services-table tbody tr', { hasText: 'policy/webhook' });
  await row.getByText(/^Down, not ready since weeder started/).waitFor();
  at.refuse('web');
  at.refuse('api', { kind: 'StatefulSet' });
  at.service(true);
  await row.getByText('Window open', { exact: true }).waitFor();
  await clock.pass(2_000);
  await row.locator('[data-label=Retried]', { hasText: /^2$/ }).waitFor();
  await row.getByRole('link', { name: 'webhook', exact: true }).click();
  await page.getByText(/: 0 deleted, 2 retried, 0 skipped, 0 failed$/).waitFor();
  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  await page.getByRole('link', { name: 'restarts 0', exact: true }).waitFor();
  await page.getByRole('link', { name: 'objects retried 2', exact: true }).click();
  await page.locator('.lane[data-about="policy/webhook"] .retry').first().waitFor({ state: 'attached' });
  const retried = page.locator('tr[data-what="creation.retried"]');
  await retried.filter({ hasText: 'creation of pods retried' }).nth(1).waitFor();
  await retried.filter({ hasText: 'StatefulSet shop/api' }).waitFor();
  assert.deepEqual(consoleLines, []);
});

test('a pod that waited for its image is deleted when its registry is back, and its page says why', async (t) => {
  const registry = { namespace: 'images', service: 'registry' };
  const declared = { services: new Set(['images/registry']) };
  await using weeder = await shown({ services: [], declared }, (before) => {
    before.slice({ ...registry, ready: [false] });
    const labels = { 'weeder.dev/depends-on': 'registry.images' };
    before.put({ name: 'web', phase: 'Pending', containers: [notPulled()], labels });
  });
  const { at, served } = weeder;
  const { page, consoleLines } = await visit(t, `${served.url}#services`);
  const row = page.locator('#services-table tbody tr', { hasText: 'images/registry' });
  await row.getByText(/^Down, not ready since weeder started/).waitFor();
  at.slice({ ...registry, ready: [true] });
  await at.clock.pass(2_000);
  await row.getByText('Window open', { exact: true }).waitFor();
  await row.locator('[data-label=Deleted]', { hasText: /^1$/ }).waitFor();
  await page.getByRole('link', { name: 'Timeline', exact: true }).click();
  const deleted = page.locator('tr[data-what="pod.deleted"]', { hasText: 'image not pulled' });
  await deleted.getByRole('link', { name: 'shoot-1/web', exact: true }).click();
  await page
    .getByText(
      /because service images\/registry recovered: the image of container main-0 was not pulled, .* refused\.$/,
    )
    .waitFor();
  assert.deepEqual(consoleLines, []);
});

test('a pod that waited for a ConfigMap is evicted when it appears, which the timeline of its workload shows', async (t) => {
  const settings = configMap('settings');
  const clock = virtualClock(startTime);
  await using restarts = await shownWorld(
    clock,
    ({ report, inspect }) => lateWorld(evicting, { clock, inspect, onEvent: (event) => report('restart', event) }),
    ({ control }) => ({ restart: control() }),
  );
  const { at, served } = restarts;
  at.putWorkload('web', withVolumes([settings]));
  await at.pass(90_000);
  const { page, consoleLines } = await visit(t, `${served.url}#workloads`);
  const row = page.locator('#workloads-table tbody tr', { hasText: 'Deployment shop/web' });
  await row.getByText('ConfigMap shop/settings is missing').waitFor();
  at.putSource(settings, { a: '1' });
  await at.pass(minute);
  await row.getByText('Current', { exact: true }).waitFor();
  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  await page.getByRole('link', { name: 'waiting pods evicted 1', exact: true }).click();
  await page.locator('.lane[data-about="Deployment shop/web"] .deletion').first().waitFor({ state: 'attached' });
  const [pod] = at.evicted;
  const evicted = page.locator('tr[data-what="pod.evicted"]', { hasText: 'waiting pod evicted' });
  await evicted.getByText(`${pod?.metadata.name}, for ConfigMap settings`).waitFor();
  assert.deepEqual(consoleLines, []);
});

test('a dependant that runs again opens a window for the others, of a Service that has no EndpointSlice and is not down', async (t) => {
  await using weeder = await shown({ services: [], declared: siblingSettings }, (before) => {
    for (const name of ['web-1', 'api-1']) before.put(dependant(name));
  });
  const { at, served } = weeder;
  const { page, consoleLines } = await visit(t, `${served.url}#services`);
  const row = page.locator('#services-table tbody tr', { hasText: 'shoot-1/db' });
  await row.getByText('No EndpointSlice', { exact: true }).waitFor();
  await at.clock.pass(minute);
  at.put(ready('api-1'));
  await at.clock.pass(10_000);
  await row.getByText('Window open: StatefulSet shoot-1/api runs again', { exact: true }).waitFor();
  await row.locator('[data-label=Deleted]', { hasText: /^1$/ }).waitFor();
  await page.getByRole('button', { name: 'Down 0', exact: true }).waitFor();
  await page.getByRole('link', { name: 'Overview', exact: true }).click();
  await page
    .locator('#overview-waits')
    .getByText(/^Window open: StatefulSet shoot-1\/api runs again/)
    .waitFor();
  assert.equal(await page.locator('#overview-problems li').count(), 0);
  await page.getByRole('link', { name: 'Dependencies', exact: true }).click();
  await page.getByText(/^Window open: StatefulSet shoot-1\/api runs again, .* left, 1 deleted/).waitFor();
  await page.getByRole('link', { name: 'Timeline', exact: true }).click();
  const opened = page.locator('tr[data-what="window.opened"]');
  await opened.getByText('2m0s, StatefulSet shoot-1/api runs again').waitFor();
  assert.deepEqual(consoleLines, []);
});
