import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dependencyScene, hello, manyActors, scene, serviceView, workloadView } from '@weeder/live-page/scenes';
import type { PageServer } from '../../support/page/pageServer.ts';
import { openPage } from '../support/browser.ts';

const now = Date.UTC(2026, 10, 21, 14, 3, 7);

function everything(server: PageServer): void {
  server.greeting = scene(now);
  server.actors = manyActors(1000);
  server.workloads = [workloadView('web')];
  server.dependencies = dependencyScene(now);
}

/** The focusable elements, in the order of the page. */
const reachable = `[...document.querySelectorAll('a[href],button,input,select,[tabindex="0"]')]
  .filter((element) => element.checkVisibility()).map((element) => element.outerHTML.slice(0, 90))`;

/** Returns which element has the focus, and whether the focus is visible. */
const focused = `[document.activeElement.outerHTML.slice(0, 90), getComputedStyle(document.activeElement).outlineStyle]`;

test('Tab reaches every control of every view, in the order of the page, with a visible focus', async (t) => {
  for (const view of ['overview', 'services', 'dependencies', 'workloads', 'machine', 'actors', 'timeline']) {
    const { page } = await openPage(t, everything, { path: `/#${view}` });
    const seen =
      {
        overview: '#overview-controllers li',
        services: '.state',
        dependencies: '.dependency-box',
        workloads: '#workloads .state',
        machine: '.box',
        actors: '.actor .id',
        timeline: '#chart .deletion',
      }[view] ?? 'main';
    await page.locator(seen).first().waitFor({ state: 'attached' });
    // The address has a fragment, from which Tab would continue.
    await page.locator('.skip').focus();
    const expected = await page.evaluate<string[]>(reachable);
    const reached: string[] = [];
    for (let n = 0; n < expected.length; n += 1) {
      if (n > 0) await page.keyboard.press('Tab');
      const [element = '', outline] = await page.evaluate<string[]>(focused);
      reached.push(element);
      assert.equal(outline, 'solid', `${view}: ${element}`);
    }
    assert.deepEqual(reached, expected, view);
    await page.close();
  }
});

test('the keyboard skips the navigation, and opens the page of a service', async (t) => {
  const { page } = await openPage(t, everything, { path: '/' });
  const count = page.getByRole('link', { name: 'pods deleted' });
  await count.waitFor();
  const text = () => page.evaluate<string>('document.activeElement.textContent.trim()');
  await page.keyboard.press('Tab');
  assert.equal(await text(), 'Skip to the content');
  await page.keyboard.press('Enter');
  await page.keyboard.press('Tab');
  assert.equal(await text(), await count.textContent());
  await page.evaluate("location.hash = 'services'");
  await page.locator('#services-table .state').first().waitFor();
  await page.keyboard.press('Tab');
  assert.equal(await page.evaluate('document.activeElement.id'), 'services-search');
  await page.keyboard.type('db');
  await page.locator('#services-count', { hasText: '1 of 9' }).waitFor();
  for (let steps = 0; (await text()) !== 'db'; steps += 1) {
    assert(steps < 16, 'the link of the service is not reached');
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Service shop/db', exact: true }).waitFor();
  assert.equal(await page.evaluate('document.activeElement.id'), 'object-title');
});

test('the services are sorted by any column and filtered by keyboard, and a screen reader announces how', async (t) => {
  const { page } = await openPage(t, (server) => {
    const services = ['a', 'b', 'c', 'd'].map((name, n) => serviceView(name, { deleted: n, isReady: n !== 2 }));
    server.greeting = [hello(now), { type: 'services', services }];
  });
  const first = (name: string) => page.locator('#services-table tbody tr:nth-child(1)', { hasText: `shop/${name}` });
  const names = () => page.locator('#services-table tbody tr a').allTextContents();
  await page.getByRole('link', { name: 'd', exact: true }).waitFor();
  assert.deepEqual(await names(), ['c', 'a', 'b', 'd'], 'the one that is down is first');
  const deleted = page.getByRole('columnheader', { name: 'Deleted' });
  await deleted.getByRole('button').press('Enter');
  await page.locator('[data-sort=deleted][aria-sort=descending]').waitFor();
  await first('d').waitFor();
  assert.deepEqual(await names(), ['d', 'c', 'b', 'a']);
  await deleted.getByRole('button').press('Space');
  await page.locator('[data-sort=deleted][aria-sort=ascending]').waitFor();
  await first('a').waitFor();
  assert.deepEqual(await names(), ['a', 'b', 'c', 'd']);
  assert.equal(await page.locator('[aria-sort]').count(), 1);
  await page.getByRole('button', { name: 'Down 1' }).press('Enter');
  await page.getByRole('button', { name: 'Down 1', pressed: true }).waitFor();
  await page.locator('#services-count', { hasText: '1 of 4' }).waitFor();
  assert.deepEqual(await names(), ['c']);
});

test('the list of actors is navigated by arrows, pages, Home and End; the active row has its full name', async (t) => {
  const { page } = await openPage(t, everything, { path: '/#actors' });
  await page.locator('.actor .id').first().waitFor();
  const list = page.getByRole('listbox', { name: 'Actors' });
  await list.focus();
  const meant = () =>
    page.evaluate<string>(`document.getElementById(
      document.getElementById('actors-list').getAttribute('aria-activedescendant')).getAttribute('aria-posinset')`);
  for (const [key, place] of [
    ['ArrowDown', '2'],
    ['ArrowDown', '3'],
    ['ArrowUp', '2'],
    ['End', '1000'],
    ['ArrowDown', '1000'],
    ['Home', '1'],
  ] as const) {
    await list.press(key);
    await page.locator(`.actor[aria-posinset="${place}"][aria-selected=true]`).waitFor();
    assert.equal(await meant(), place, key);
  }
  await list.press('PageDown');
  await page.locator('.actor[aria-selected=true]:not([aria-posinset="1"])').waitFor();
  assert(Number(await meant()) > 5);
  const states = 'open › timer › running, open › pods › watching';
  const name = `shop/service-00001/dependants-1-1 dependants ${states}`;
  await page.getByRole('option', { name, exact: true }).waitFor();
  await list.press('Home');
  await list.press('Enter');
  await page.waitForURL(/#machine=shop%2Fservice-00000$/);
});

test('a screen reader finds a service as one row, with the headers of its columns', async (t) => {
  const { page } = await openPage(t, everything, { timezoneId: 'UTC' });
  const table = page.getByRole('table', { name: 'Services' });
  await table.getByRole('rowheader', { name: 'shop/db' }).waitFor();
  assert.deepEqual(
    (await table.getByRole('columnheader').allTextContents()).map((text) => text.trim()),
    ['Service', 'State', 'Window', 'Crash-looping', 'Deleted', 'Retried', 'Skipped', 'Failed'],
  );
  await table.getByRole('row', { name: /^shop\/db Window open, 2 crash-looping 3m \d\ds left 2 9 0 1 0$/ }).waitFor();
  assert.equal(await page.getByRole('status').count(), 1);
  assert.equal(await page.getByRole('navigation', { name: 'Views' }).getByRole('link').count(), 8);
  await page.getByRole('link', { name: 'Timeline', exact: true }).press('Enter');
  await page
    .getByRole('table', { name: 'Events, newest first' })
    .getByRole('row', { name: /pod deleted/ })
    .first()
    .waitFor();
  assert.equal(await page.locator('#chart svg:not([aria-hidden=true])').count(), 0);
});
