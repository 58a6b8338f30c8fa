import assert from 'node:assert/strict';
import { test } from 'node:test';
import { applicationView, hello, serviceView, workloadView } from '@weeder/live-page/scenes';
import type { Page } from 'playwright-core';
import type { PageServer } from '../support/page/pageServer.ts';
import { openPage, visit } from './support/browser.ts';

const now = Date.UTC(2026, 10, 21, 14, 3, 7);

function many(server: PageServer): void {
  const services = ['shop', 'cart'].flatMap((namespace) =>
    ['db', 'db-2', 'queue'].map((name) =>
      serviceView(name, { namespace, isReady: name !== 'db-2', deleted: name === 'db' ? 3 : 0 }),
    ),
  );
  server.greeting = [hello(now), { type: 'services', services }];
  server.workloads = [
    workloadView('web'),
    workloadView('mail', { state: 'blocked', reason: 'ConfigMap shop/mail is missing' }),
    workloadView('old', { state: 'rolling' }),
  ];
  server.applications = [applicationView('shop/web'), applicationView('cart/api', { state: 'invalid' })];
}

const namesIn = (page: Page, view: string) => page.locator(`#${view}-table tbody tr .name a`).allTextContents();

test('search, filter, namespace and order are in the address, and a copy of it shows the same', async (t) => {
  const { page, server } = await openPage(t, many);
  await page.getByRole('button', { name: 'Down 2' }).click();
  await page.locator('#services-namespace').selectOption('shop');
  await page.getByRole('button', { name: 'All 6' }).click();
  await page.locator('#services-search').fill('db');
  await page.getByRole('button', { name: 'Deleted', exact: true }).click();
  await page.getByRole('link', { name: 'db-2', exact: true }).waitFor();
  assert.deepEqual(await namesIn(page, 'services'), ['db', 'db-2']);
  assert.equal(new URL(page.url()).hash, '#services?namespace=shop&search=db&sort=-deleted');
  const { page: copy } = await visit(t, page.url());
  await copy.getByRole('link', { name: 'db-2', exact: true }).waitFor();
  await copy.locator('[data-sort=deleted][aria-sort=descending]').waitFor();
  assert.deepEqual(await namesIn(copy, 'services'), ['db', 'db-2']);
  assert.equal(await copy.locator('#services-search').inputValue(), 'db');
  assert.equal(await copy.locator('#services-namespace').inputValue(), 'shop');
  assert.equal(server.requests.filter((path) => path.startsWith('/events')).length, 2);
});

test('what a user types into the address is no more than text, and an unknown value is the initial one', async (t) => {
  const address = '/#services?show=nothing&sort=-unknown&search=%3Cb%3E&namespace=gone';
  const { page, consoleLines } = await openPage(t, many, { path: address });
  await page.getByText('No service matches.').waitFor();
  assert.equal(await page.locator('#services-search').inputValue(), '<b>');
  await page.getByRole('button', { name: 'All 6', pressed: true }).waitFor();
  assert.deepEqual(consoleLines, []);
});

test('Back and the link of a view return to what it showed, and a link without parameters shows everything', async (t) => {
  const { page } = await openPage(t, many);
  const nav = page.getByRole('navigation', { name: 'Views' });
  await page.getByRole('button', { name: 'Down 2' }).click();
  await nav.getByRole('link', { name: 'Workloads', exact: true }).click();
  await page.getByRole('button', { name: 'Problems 1' }).click();
  await page.getByRole('link', { name: 'Deployment shop/web', exact: true }).waitFor({ state: 'detached' });
  assert.deepEqual(await namesIn(page, 'workloads'), ['Deployment shop/mail']);
  await page.goBack();
  await page.getByRole('button', { name: 'Down 2', pressed: true }).waitFor();
  assert.deepEqual(await namesIn(page, 'services'), ['db-2', 'db-2']);
  await nav.getByRole('link', { name: 'Workloads', exact: true }).click();
  await page.getByRole('button', { name: 'Problems 1', pressed: true }).waitFor();
  await page.evaluate("location.hash = '#workloads'");
  await page.getByRole('button', { name: 'All 3', pressed: true }).waitFor();
  await page.getByRole('link', { name: 'Deployment shop/web', exact: true }).waitFor();
});

test('Applications are filtered by what is wrong and by namespace, with the numbers of each', async (t) => {
  const { page } = await openPage(t, many, { path: '/#applications' });
  await page.getByRole('button', { name: 'In sync 1' }).click();
  await page.getByRole('link', { name: 'cart/api', exact: true }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'shop/web', exact: true }).waitFor();
  await page.getByRole('button', { name: 'Problems 1' }).click();
  await page.getByRole('link', { name: 'cart/api', exact: true }).waitFor();
  await page.locator('#applications-namespace').selectOption('shop');
  await page.getByText('No application matches.').waitFor();
});

test('the key / moves the focus into the search of each view, and types nothing', async (t) => {
  const { page } = await openPage(t, many);
  for (const view of ['services', 'dependencies', 'workloads', 'applications', 'actors', 'timeline']) {
    await page.evaluate(`location.hash = '${view}'`);
    await page.locator(`#${view}`).waitFor();
    await page.keyboard.press('/');
    assert.equal(await page.evaluate('document.activeElement.id'), `${view}-search`);
    assert.equal(await page.locator(`#${view}-search`).inputValue(), '');
    await page.keyboard.press('/');
    assert.equal(await page.locator(`#${view}-search`).inputValue(), '/');
  }
});
