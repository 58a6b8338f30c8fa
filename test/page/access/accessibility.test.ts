import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { PageMessage } from '@weeder/live-page';
import {
  actorView,
  dependencyScene,
  manyActors,
  objectScene,
  overviewScene,
  scene,
  serviceView,
  workloadView,
} from '@weeder/live-page/scenes';
import type { Page } from 'playwright-core';
import type { PageServer } from '../../support/page/pageServer.ts';
import { openPage } from '../support/browser.ts';

const now = Date.UTC(2026, 10, 21, 14, 3, 7);
const views = [
  'overview',
  'services',
  'dependencies',
  'workloads',
  'machine=shop%2Fdb',
  'actors',
  'timeline',
  'service=shop%2Fdb',
];

function everything(server: PageServer): void {
  server.greeting = [...scene(now), { type: 'actor', actor: actorView('shop/db') }];
  server.actors = manyActors(100);
  server.dependencies = dependencyScene(now);
  server.object = objectScene(now);
  server.overview = overviewScene(now);
  server.workloads = [
    workloadView('web'),
    workloadView('api', { state: 'blocked', reason: 'ConfigMap shop/settings is missing' }),
  ];
}

async function go(page: Page, view: string): Promise<void> {
  await page.evaluate(`location.hash = '${view}'`);
  const shown = {
    overview: '#overview-problems li',
    services: '.state',
    dependencies: '.dependency-box',
    workloads: '#workloads .state',
    machine: '.box.lit',
    actors: '.actor .id',
    timeline: '.lane .deletion',
    'service=': '#object-sections .state',
  };
  const [, what] = Object.entries(shown).find(([name]) => view.startsWith(name)) ?? [];
  await page
    .locator(what ?? 'main')
    .first()
    .waitFor({ state: 'attached' });
}

/** The texts without enough contrast to their background, by the formula of WCAG 2: 4.5 to 1. */
const lowContrast = `(() => {
  const channels = (colour) => colour.match(/[\\d.]+/g).map((c) => Number(c) * (colour.startsWith('color(') ? 255 : 1));
  const light = ([r, g, b]) => [r, g, b].map((c) => c / 255)
    .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const colour = getComputedStyle(at).backgroundColor;
      if (colour.startsWith('rgb(') || colour.startsWith('color(srgb ')) return channels(colour);
    }
    return [255, 255, 255];
  };
  const found = [];
  for (const element of document.querySelectorAll('body *')) {
    const own = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim() !== '');
    if (!own || !element.checkVisibility() || element.closest('svg')) continue;
    const [a, b] = [light(channels(getComputedStyle(element).color)), light(behind(element))];
    const contrast = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (contrast < 4.5) found.push(element.textContent + ' ' + contrast.toFixed(2));
  }
  return found;
})()`;

/** The controls and regions without an accessible name. */
const nameless = `[...document.querySelectorAll('a,button,input,select,section,nav,[role=region],[role=listbox],[role=group],table,[tabindex="0"]')]
  .filter((element) => element.checkVisibility())
  .filter((element) => !(element.getAttribute('aria-label')?.trim()
    || document.getElementById(element.getAttribute('aria-labelledby') ?? '')?.textContent.trim()
    || [...(element.labels ?? [])].some((label) => label.textContent.trim() !== '')
    || (element.matches('a,button') && element.textContent.trim() !== '')))
  .map((element) => element.outerHTML.slice(0, 80))`;

/** The controls whose accessible name does not contain their visible text (WCAG 2.5.3). */
const misnamed = `[...document.querySelectorAll('a[aria-label],button[aria-label],[role=option][aria-label]')]
  .filter((element) => element.checkVisibility())
  .filter((element) => !element.getAttribute('aria-label').replace(/\\s+/g, '').includes(element.textContent.replace(/\\s+/g, '')))
  .map((element) => element.outerHTML.slice(0, 80))`;

/** The levels of the visible headings: `[1, 2, 3]`. */
const headings = `[...document.querySelectorAll('h1,h2,h3,h4')].filter((each) => each.checkVisibility())
  .map((each) => Number(each.tagName[1]))`;

for (const colorScheme of ['light', 'dark'] as const) {
  test(`in the ${colorScheme} theme every text has enough contrast, everything has an accessible name, and the headings are in order`, async (t) => {
    const { page, server, consoleLines } = await openPage(t, everything, { colorScheme });
    for (const view of views) {
      await go(page, view);
      assert.deepEqual(await page.evaluate(lowContrast), [], view);
      assert.deepEqual(await page.evaluate(nameless), [], view);
      assert.deepEqual(await page.evaluate(misnamed), [], view);
      const levels = await page.evaluate<number[]>(headings);
      assert(
        levels.every((level, index) => level <= (levels[index - 1] ?? 0) + 1),
        `${view}: ${levels}`,
      );
    }
    assert.deepEqual(consoleLines, []);
    server.isFull = true;
    server.cut();
    await page.locator('#notice').waitFor();
    assert.deepEqual(await page.evaluate(lowContrast), [], 'without a connection');
  });
}

for (const width of [360, 1400]) {
  test(`a pressed button of a filter is below the head of a scrolled page of ${width} pixels`, async (t) => {
    const many = Array.from({ length: 200 }, (_, n) => serviceView(`service-${n}`));
    const { page } = await openPage(
      t,
      (server) => {
        server.greeting = [...scene(now), { type: 'services', services: many }];
      },
      { viewport: { width, height: 740 } },
    );
    await page.locator('#services-count', { hasText: '200' }).waitFor();
    await page.getByRole('link', { name: 'service-9', exact: true }).waitFor();
    const top = await page.evaluate<string>(`(() => {
      const button = document.querySelector('#services [aria-pressed=true]');
      const middle = document.querySelector('.top').getBoundingClientRect().height / 2;
      scrollBy(0, button.getBoundingClientRect().top + button.getBoundingClientRect().height / 2 - middle);
      const { left, top, width, height } = button.getBoundingClientRect();
      return document.elementFromPoint(left + width / 2, top + height / 2)?.closest('.top, button')?.className;
    })()`);
    assert.equal(top, 'top');
  });
}

for (const width of [360, 1600]) {
  test(`nothing is wider than a page of ${width} pixels`, async (t) => {
    const { page } = await openPage(t, everything, { viewport: { width, height: 740 } });
    for (const view of views) {
      await go(page, view);
      assert.equal(await page.evaluate('document.documentElement.scrollWidth'), width, view);
    }
  });
}

for (const width of [360, 1400]) {
  test(`a screen reader names the id of an actor on a page of ${width} pixels`, async (t) => {
    const { page } = await openPage(t, everything, { viewport: { width, height: 740 }, path: '/#actors' });
    await page.getByRole('option', { name: /^shop\/service-00000\/dependants-1-1 / }).waitFor();
  });
}

test('with reduced motion there is no animation; without it each step is shown for a moment', async (t) => {
  const ways = { 'ready.idle': 'notReady.idle', notReady: 'ready.windowOpen', 'ready.windowOpen': 'ready.idle' };
  const steps: readonly PageMessage[] = Object.entries(ways).map(([from, to]) => ({
    type: 'actor',
    actor: actorView('shop/db', { states: [to] }),
    transition: { at: now, event: 'endpoint.ready', from, to },
  }));
  for (const reducedMotion of ['reduce', 'no-preference'] as const) {
    const { page, server } = await openPage(t, everything, { reducedMotion, path: '/#machine=shop%2Fdb' });
    await page.locator('.box.lit').first().waitFor();
    await page.evaluate(`window.shownAt = []; new MutationObserver(() => window.shownAt.push(performance.now()))
      .observe(document.getElementById('machine-transitions'), { childList: true })`);
    const running = () => page.evaluate<number>('document.getAnimations().length');
    server.send({ type: 'actor', actor: actorView('shop/db') }, ...steps);
    await page.locator('#machine-transitions li').nth(2).waitFor();
    await page.locator('.taken:is(.arrow,.exit)').first().waitFor({ state: 'attached' });
    if (reducedMotion === 'reduce') {
      assert.equal(await running(), 0);
    } else {
      assert.notEqual(await running(), 0);
      const [first = 0, second = 0, third = 0] = await page.evaluate<number[]>('window.shownAt');
      assert(second - first > 400 && third - second > 400, `${first}, ${second}, ${third}`);
    }
  }
});
