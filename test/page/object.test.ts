import assert from 'node:assert/strict';
import { test } from 'node:test';
import { objectView, scene } from '@weeder/live-page/scenes';
import { backOff } from '../support/objects/objects.ts';
import { down } from '../support/page/servedPage.ts';
import { openPage, visit } from './support/browser.ts';

const now = Date.UTC(2026, 10, 21, 14, 3, 7);

test('the page of a pod says why it is not deleted, and later that it was, with its services and events', async (t) => {
  const weeder = await down();
  t.after(() => weeder[Symbol.asyncDispose]());
  const path = 'shoot-1/kapi-0';
  const { page, consoleLines } = await visit(t, `${weeder.served.url}?time=utc#pod=${path}`);
  await page.getByRole('heading', { name: `Pod ${path}` }).waitFor();
  const sentence = page.locator('#object-state');
  await sentence
    .getByText('Not deleted: no window is open, and service etcd-main-client has been ready since')
    .waitFor();
  const since = sentence.locator('time');
  assert.equal(await since.getAttribute('datetime'), '2026-01-01T12:00:00.000Z');
  const service = page.getByRole('link', { name: 'Service shoot-1/etcd-main-client', exact: true });
  assert.equal(await service.getAttribute('href'), '#service=shoot-1%2Fetcd-main-client');
  await page.getByText('No events in the last hour.').waitFor();

  weeder.at.slice({ ready: [false] });
  await page.locator('#object-sections li:has([data-health=degraded])', { hasText: 'Down since' }).waitFor();
  weeder.at.slice({ ready: [true] });
  await weeder.at.clock.pass(1);
  await sentence.getByText('because service etcd-main-client recovered').waitFor();
  assert.match(
    (await sentence.textContent()) ?? '',
    /^Deleted at .*, because .* was in CrashLoopBackOff after 4 restarts/,
  );
  await page.locator('#object-moments li', { hasText: 'pod deleted' }).waitFor();
  await page.getByText('They are known while the pod crash-loops or has never started.').waitFor();
  await page.evaluate("location.hash = 'timeline'");
  await page
    .locator('#moments tr', { hasText: 'pod deleted' })
    .getByRole('link', { name: 'shoot-1/kapi-0', exact: true })
    .click();
  await sentence.getByText('because service etcd-main-client recovered').waitFor();
  await page.evaluate(`location.hash = 'pod=shoot-1/bare'`);
  await sentence.getByText('Skipped: it has no controller that would recreate it (barePods: keep).').waitFor();
  assert.equal(await page.title(), 'Pod shoot-1/bare · weeder');
  assert.deepEqual(consoleLines, []);
});

test('the last section of a service is its machine, with the active state marked as it changes', async (t) => {
  const weeder = await down();
  t.after(() => weeder[Symbol.asyncDispose]());
  const { page, consoleLines } = await visit(t, `${weeder.served.url}#service=shoot-1%2Fetcd-main-client`);
  const marked = (state: string) => page.locator(`#object-picture .box.lit[data-state="${state}"]`).first();
  await marked('ready.idle').waitFor();
  assert.equal(await page.locator('#object h3').last().innerText(), 'Machine');
  weeder.at.slice({ ready: [false] });
  await marked('notReady.idle').waitFor();
  assert.equal(await marked('ready.idle').count(), 0);
  assert.equal(await page.locator('#object-active').innerText(), 'notReady › idle');

  await page.getByRole('link', { name: 'Zoom and transitions', exact: true }).click();
  await page.locator('#picture .box.lit[data-state="notReady.idle"]').first().waitFor();
  await page.goBack();
  await marked('notReady.idle').waitFor();
  const tips = `[...document.querySelectorAll('#object-picture [marker-end]')].map((line) =>
    document.querySelector(line.getAttribute('marker-end').slice(4, -1)).closest('.picture').id)`;
  assert.deepEqual(
    [...new Set(JSON.parse(String(await page.evaluate(`JSON.stringify(${tips})`))))],
    ['object-picture'],
  );
  assert.deepEqual(consoleLines, []);
});

test('a pod that waits has the machine of its deletion, and before it has none', async (t) => {
  const weeder = await down({ answer: () => new Promise(() => {}) });
  t.after(() => weeder[Symbol.asyncDispose]());
  const { page } = await visit(t, `${weeder.served.url}#pod=shoot-1%2Fkapi-0`);
  await page.locator('#object-state', { hasText: 'no window is open' }).waitFor();
  assert.equal(await page.locator('#object-machine').isVisible(), false);
  weeder.at.slice({ ready: [false] });
  weeder.at.slice({ ready: [true] });
  weeder.at.put({ containers: [backOff(4)] });
  await page.locator('#object-state', { hasText: 'Being deleted: the request was sent.' }).waitFor();
  await page.locator('#object-sections', { hasText: 'window open' }).waitFor();
  await page.locator('#object-picture .box.lit').first().waitFor();
  await page.getByRole('link', { name: 'Zoom and transitions', exact: true }).click();
  await page.locator('#machine-actor', { hasText: 'shoot-1/kapi-0/uid-of-shoot-1-kapi-0' }).waitFor();
});

test('the last lines of a long section are counted, and foreign text is only text', async (t) => {
  const page = { type: 'service', id: 'shop/<b>db</b>' } as const;
  const line = { object: 'Service shop/<b>db</b>', page, words: 'Ready', since: now, next: undefined };
  const { page: shown, server } = await openPage(
    t,
    (server) => {
      server.greeting = scene(now);
      const services = { title: 'Services', lines: [line], total: 71, none: '' };
      const facts = [['Settings', 'window <i>5m</i>']] as const;
      server.object = objectView({ words: 'Not deleted: <i>so</i>.', facts, sections: [services] });
    },
    { path: '/#pod=shop%2Fweb-0' },
  );
  await shown.getByText('Not deleted: <i>so</i>.').waitFor();
  await shown.getByText('window <i>5m</i>').waitFor();
  await shown.getByText('70 more are not shown.').waitFor();
  await shown.getByRole('link', { name: 'Service shop/<b>db</b>', exact: true }).waitFor();
  assert.ok(server.requests.includes('/object?type=pod&id=shop%2Fweb-0'));
});
