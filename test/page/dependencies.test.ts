import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { DependantView } from '@weeder/live-page';
import {
  dependantView,
  dependencyList,
  dependencyScene,
  dependencyView,
  scene,
  serviceView,
  suggestionView,
} from '@weeder/live-page/scenes';
import type { Page } from 'playwright-core';
import { backOff } from '../support/objects/objects.ts';
import { shown } from '../support/page/servedPage.ts';
import { openPage, visit } from './support/browser.ts';

const now = Date.UTC(2026, 10, 21, 14, 3, 7);
const path = '/#dependencies';
const serviceBox = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Services' }).getByRole('listitem').filter({ hasText: name });
const dependantBox = (page: Page, name: string) =>
  page.getByRole('list', { name: 'Dependants', exact: true }).getByRole('listitem').filter({ hasText: name });
const linesOf = (page: Page, health: string) => page.locator(`#dependencies-edges path[data-health=${health}]`);

test('services are on the left, dependants on the right, with lines that show outages and windows', async (t) => {
  const { page, server, consoleLines } = await openPage(
    t,
    (server) => {
      server.greeting = scene(now);
      server.dependencies = dependencyScene(now);
    },
    { path },
  );
  await serviceBox(page, 'shop/cache')
    .getByText(/^Down for \d+s, 3 crash-looping, 2 dependants$/)
    .waitFor();
  await serviceBox(page, 'shop/db').getByText('Window open, 3m 20s left, 2 crash-looping, 9 deleted').waitFor();
  await serviceBox(page, 'shop/billing').getByText('No EndpointSlice, 1 dependant').waitFor();
  await serviceBox(page, 'shop/stock')
    .getByText(/^Down, not ready since weeder started \(3m 1\ds\), 0 dependants$/)
    .waitFor();
  await dependantBox(page, 'shop/cart').getByText('3 crash-looping, Deployment, declared by label').waitFor();
  await dependantBox(page, 'app=worker').getByText('pods, configured by podSelectors[0], in shop, reports').waitFor();
  await dependantBox(page, 'shop/mail').getByText('depends on shop/db, shop/queue').waitFor({ state: 'attached' });
  const [left, right] = [
    await serviceBox(page, 'shop/db').boundingBox(),
    await dependantBox(page, 'mail').boundingBox(),
  ];
  assert.ok((left?.x ?? 0) + (left?.width ?? 0) < (right?.x ?? 0), 'services are left of their dependants');
  assert.deepEqual([await linesOf(page, 'degraded').count(), await linesOf(page, 'progressing').count()], [2, 5]);
  const { services, dependants } = dependencyScene(now);
  server.dependencies = dependencyList(
    services.map((each) => dependencyView(each.service, { dependants: each.dependants })),
    dependants.map(({ id }) => dependantView(id)),
  );
  await serviceBox(page, 'shop/cache').getByText('ready, 2 dependants').waitFor();
  assert.deepEqual([await linesOf(page, 'degraded').count(), await linesOf(page, 'progressing').count()], [0, 0]);
  server.dependencies = dependencyList([], []);
  await page.getByText('weeder watches no service.').waitFor();
  assert.equal(await page.locator('.dependency-box').count(), 0);
  assert.deepEqual(consoleLines, []);
});

test('a dependant says by what it depends on each service, and opens the machine of its workload, if it has one', async (t) => {
  const [api, web] = [dependantView('Deployment shop/api'), dependantView('Deployment shop/web')];
  const actor = 'deployment/shop/web';
  const list = (dependants: readonly DependantView[]) =>
    dependencyList(
      [
        dependencyView('cache', { dependants: [web.id], sources: ['annotation'] }),
        dependencyView('db', { dependants: [api.id, web.id], sources: ['', 'label'] }),
      ],
      dependants,
    );
  const { page, server } = await openPage(
    t,
    (server) => {
      server.greeting = scene(now);
      server.dependencies = list([api, web]);
    },
    { path },
  );
  await dependantBox(page, 'shop/api').getByText('Deployment, declared', { exact: true }).waitFor();
  const sources = 'Deployment, declared by annotation (shop/cache), by label (shop/db)';
  await dependantBox(page, 'shop/web').getByText(sources, { exact: true }).waitFor();
  assert.equal(await dependantBox(page, 'shop/web').getByRole('link').count(), 0);
  server.dependencies = list([api, { ...web, actor }]);
  await dependantBox(page, 'shop/web').getByRole('link').click();
  await page.waitForURL('**/#workload=Deployment%20shop%2Fweb');
});

test('suggestions are laid over the dependencies on request, dashed, each with its reason and the label to add', async (t) => {
  const web = dependantView('Deployment shop/web');
  const suggestions = [suggestionView('db', 'web'), suggestionView('db', 'mail'), suggestionView('mq', 'mail')];
  const { page, server } = await openPage(
    t,
    (server) => {
      server.greeting = scene(now);
      const services = [dependencyView('cache', { dependants: [web.id] }), dependencyView('db')];
      server.dependencies = dependencyList(services, [web]);
      server.suggestions = { found: 3, suggestions, problems: ['The suggestions do not include jobs.'] };
    },
    { path },
  );
  const dashed = page.locator('#dependencies-edges path[stroke-dasharray]');
  const button = page.getByRole('button', { name: 'Suggestions', exact: true });
  await dependantBox(page, 'shop/web').getByText('Deployment, declared by label', { exact: true }).waitFor();
  assert.deepEqual([await dashed.count(), server.requests.filter((each) => each.startsWith('/suggestions'))], [0, []]);
  await button.click();
  await page.getByText('3 suggestions are dashed. The suggestions do not include jobs.', { exact: true }).waitFor();
  await page.waitForURL('**/#dependencies?suggestions=on');
  assert.deepEqual([await dashed.count(), await page.locator('#dependencies-edges path').count()], [3, 4]);
  await serviceBox(page, 'shop/cache').getByText('Ready, 1 dependant', { exact: true }).waitFor();
  await serviceBox(page, 'shop/db').getByText('Ready, 0 dependants, 2 suggested', { exact: true }).waitFor();
  await serviceBox(page, 'shop/mq').getByText('1 suggested', { exact: true }).waitFor();
  const mail = dependantBox(page, 'shop/mail');
  await mail.getByText('Deployment, suggested', { exact: true }).waitFor();
  await mail.getByText('Seems to depend on shop/mq').waitFor();
  await dependantBox(page, 'shop/web')
    .getByText(
      'Seems to depend on shop/db, with high confidence: env URL of container main: db:80, with a port of the Service. ' +
        'To accept, set on its pods: label weeder.dev/depends-on: db.',
      { exact: true },
    )
    .waitFor();
  const styleOf = (box: string) => page.evaluate(`getComputedStyle(document.querySelector('${box}')).borderTopStyle`);
  const styles = [await styleOf('.dependency-box.suggested'), await styleOf('.dependency-box.declared')];
  assert.deepEqual(styles, ['dashed', 'solid']);
  await page.reload();
  await mail.waitFor();
  await button.click();
  await page.waitForURL('**/#dependencies');
  await mail.waitFor({ state: 'detached' });
  assert.deepEqual([await dashed.count(), await page.locator('#dependencies-suggested').textContent()], [0, '']);
});

for (const width of [360, 830, 1400])
  test(`at ${width} pixels no text in a box is cut off, and no box covers another`, async (t) => {
    const { page } = await openPage(
      t,
      (server) => {
        server.greeting = scene(now);
        server.dependencies = dependencyScene(now);
        const suggestions = [suggestionView('db', 'stock'), suggestionView('mq', 'cart')];
        server.suggestions = { found: 2, suggestions, problems: [] };
      },
      { path: `${path}?suggestions=on`, viewport: { width, height: 740 } },
    );
    await serviceBox(page, 'shop/stock')
      .getByText(/^Down, not ready since/)
      .waitFor();
    await serviceBox(page, 'shop/mq').waitFor();
    const faults = await page.evaluate(`(() => {
      const isCut = ({ scrollWidth, clientWidth, scrollHeight, clientHeight }) =>
        scrollWidth > clientWidth || scrollHeight > clientHeight;
      const boxes = [...document.querySelectorAll('.dependency-box')].map((box) => [box, box.getBoundingClientRect()]);
      const cut = boxes.flatMap(([box]) => [box, ...box.querySelectorAll('.name, .detail')].filter(
        (each) => getComputedStyle(each).display !== 'inline' && isCut(each)));
      const covered = boxes.flatMap(([box, a]) => boxes.filter(([other, b]) => other !== box &&
        a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom));
      return [...cut.map((each) => 'cut: ' + each.textContent), ...covered.map(([box]) => 'covered: ' + box.textContent)];
    })()`);
    assert.deepEqual(faults, []);
  });

test('the pointer and the focus emphasize a box with its lines and the boxes at their ends', async (t) => {
  const { page, server } = await openPage(
    t,
    (server) => {
      server.greeting = scene(now);
      server.dependencies = dependencyScene(now);
    },
    { path },
  );
  const emphasized = async () =>
    (await page.locator('.dependency-box.related .name').allTextContents()).map((name) => name.split('/').at(-1));
  await serviceBox(page, 'shop/cache').hover();
  assert.deepEqual(await emphasized(), ['cache', 'cart', 'web']);
  assert.equal(await page.locator('path.related').count(), 2);
  const { services, dependants } = dependencyScene(now);
  server.dependencies = dependencyList(
    services.map((each) => ({ ...each, view: serviceView(each.service) })),
    dependants,
  );
  await serviceBox(page, 'shop/cache').getByText('ready, 2 dependants').waitFor();
  assert.equal(await page.locator('path.related').count(), 2, 'also after the lines were drawn again');
  await dependantBox(page, 'shop/mail').getByRole('button').focus();
  assert.deepEqual(await emphasized(), ['db', 'queue', 'mail']);
  assert.equal(await page.locator('path.related').count(), 2);
  await page.locator('#dependencies-search').focus();
  assert.deepEqual(await emphasized(), []);
});

test('the filters are sent to the server; a dependant, and the note about others, search for themselves', async (t) => {
  const { page, server } = await openPage(
    t,
    (server) => {
      server.greeting = scene(now);
      server.dependencies = { ...dependencyScene(now), namespaces: ['reports', 'shop'] };
    },
    { path },
  );
  const asked = async (query: string) => {
    await page.waitForRequest((request) => request.url().endsWith(`/dependencies?${query}`));
  };
  await serviceBox(page, 'shop/db').waitFor();
  await Promise.all([
    asked('search=&namespace=reports&show=all'),
    page.locator('#dependencies-namespace').selectOption('reports'),
  ]);
  const pressed = page.locator('#dependencies').getByRole('button', { name: 'Down 3' });
  await Promise.all([asked('search=&namespace=reports&show=notReady'), pressed.click()]);
  assert.equal(await pressed.getAttribute('aria-pressed'), 'true');
  const mail = dependantBox(page, 'shop/mail').getByRole('button');
  await Promise.all([asked('search=Deployment+shop%2Fmail&namespace=reports&show=notReady'), mail.click()]);
  server.dependencies = { ...dependencyScene(now), namespaces: ['shop'], found: 1, total: 9 };
  await page.locator('#dependencies-count', { hasText: '1 of 9' }).waitFor();
  assert.equal(await page.locator('#dependencies-namespace').inputValue(), 'reports', 'a chosen namespace stays');
  const note = page.getByRole('button', { name: '12 more dependants of shop/db' });
  await Promise.all([asked('search=shop%2Fdb&namespace=reports&show=notReady'), note.click()]);
  assert.equal(await page.locator('#dependencies-search').inputValue(), 'shop/db');
});

test('with 200 of 1,000 services and 1,000 dependants, the page says how to find the others, and the focus stays', async (t) => {
  const padded = (n: number) => String(n).padStart(4, '0');
  const dependants = Array.from({ length: 1_000 }, (_, n) => dependantView(`Deployment shop/web-${padded(n)}`));
  const services = Array.from({ length: 200 }, (_, n) =>
    dependencyView(`db-${padded(n)}`, { dependants: dependants.slice(5 * n, 5 * n + 5).map(({ id }) => id) }),
  );
  const list = { ...dependencyList(services, dependants), total: 1_000, found: 1_000 };
  const { page, server, consoleLines } = await openPage(
    t,
    (server) => {
      server.greeting = scene(now);
      server.dependencies = list;
    },
    { path },
  );
  await page.getByText('200 of 1,000 services are shown: find the others by name, namespace or state.').waitFor();
  assert.equal(await page.locator('.dependency-box').count(), 1_200);
  await serviceBox(page, 'db-0100').getByRole('link').focus();
  server.dependencies = { ...list, services: services.slice(100), found: 900 };
  await page.locator('#dependencies-count', { hasText: '900 of 1,000' }).waitFor();
  assert.equal(await page.evaluate('document.activeElement.title'), 'shop/db-0100');
  await page.keyboard.press('Enter');
  await page.waitForURL(/#service=shop%2Fdb-0100$/);
  assert.deepEqual(consoleLines, []);
});

test('a running weeder shows an outage, its crash-looping dependants, and the window', async (t) => {
  await using weeder = await shown({ service: { onStart: 'never' } }, (before) => {
    before.slice({ ready: [true] });
  });
  const { page, consoleLines } = await visit(t, `${weeder.served.url}#dependencies`);
  const service = serviceBox(page, 'etcd-main-client');
  await service.getByText('Ready, 1 dependant').waitFor();
  weeder.at.slice({ ready: [false] });
  weeder.at.put({ containers: [backOff(4)] });
  await service.getByText(/^Down for \d+s, 1 crash-looping, 1 dependant$/).waitFor();
  await dependantBox(page, 'role=apiserver').getByText('1 crash-looping of ').waitFor();
  await linesOf(page, 'degraded').waitFor({ state: 'attached' });
  weeder.at.slice({ ready: [true] });
  await service.getByText('Window open').waitFor();
  await linesOf(page, 'progressing').waitFor({ state: 'attached' });
  assert.deepEqual(consoleLines, []);
});
