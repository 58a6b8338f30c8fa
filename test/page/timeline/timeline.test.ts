import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Page } from 'playwright-core';
import { at, outageOfDemo, timeline } from '../support/timelinePage.ts';

/** The left edge and the width of an element, as shares of the chart's width. */
async function shareOf(page: Page, selector: string): Promise<readonly [left: number, width: number]> {
  const chart = `document.querySelector('#chart')`;
  const [left = 0, width = 0] = await page.evaluate<number[]>(`(() => {
    const room = ${chart}.getBoundingClientRect(), box = document.querySelector('${selector}').getBoundingClientRect();
    return [(box.left - room.left) / ${chart}.clientWidth, box.width / ${chart}.clientWidth];
  })()`);
  return [left, width];
}

/** The center of an element in the window, read in one step: a chart that follows the time replaces its elements. */
async function centerOf(page: Page, selector: string): Promise<readonly [x: number, y: number]> {
  const [x, y] = await page.evaluate<number[]>(`(() => {
    const { left, top, width, height } = document.querySelector('${selector}').getBoundingClientRect();
    return [left + width / 2, top + height / 2];
  })()`);
  assert.ok(x !== undefined && y !== undefined);
  return [x, y];
}

test('the events of half a minute fill the chart, and do so again after "Fit"', async (t) => {
  const { page, consoleLines } = await timeline(t, outageOfDemo);
  const fills = async () => {
    const [[left], [start, width]] = [await shareOf(page, '.lane .outage'), await shareOf(page, '.lane .window')];
    assert.ok(left > 0 && left < 0.1, `the outage begins at ${left}`);
    assert.ok(start + width > 0.95, `the window ends at ${start + width}`);
  };
  await fills();
  await page.getByRole('button', { name: 'Zoom out' }).click();
  await page.locator('#timeline-count', { hasText: '14:02:1' }).waitFor();
  await page.getByRole('button', { name: 'Fit' }).click();
  await page.locator('#timeline-count', { hasText: '14:02:39' }).waitFor();
  await fills();
  assert.deepEqual(consoleLines, []);
});

test('the wheel zooms at the pointer, and what it cannot zoom out further scrolls the page', async (t) => {
  const { page } = await timeline(t, [at(3_500, 'pod.deleted', 'shop/a'), ...outageOfDemo], {
    viewport: { width: 1280, height: 420 },
  });
  await page.locator('#chart').scrollIntoViewIfNeeded();
  const scrolled = await page.evaluate<number>('scrollY');
  const event = '.lane[data-about="shop/etcd"] .deletion';
  await page.locator(event).waitFor({ state: 'attached' });
  const pointAtEvent = async () => page.mouse.move(...(await centerOf(page, event)));
  await pointAtEvent();
  await page.mouse.wheel(0, -100);
  // From now on the chart does not move with the time.
  await page.waitForURL(/range=[^/]+\/[^/]+$/);
  await pointAtEvent();
  const [before] = await shareOf(page, event);
  for (let n = 0; n < 11; n += 1) await page.mouse.wheel(0, -100);
  await page.locator('#timeline-count', { hasText: /14:02:\d\d to 14:03/ }).waitFor();
  assert.equal(await page.evaluate('scrollY'), scrolled);
  const [left] = await shareOf(page, '.lane .deletion');
  assert.ok(Math.abs(left - before) < 0.02, `at ${left}, before at ${before}`);
  for (let n = 0; n < 30; n += 1) await page.mouse.wheel(0, 100);
  await page.waitForFunction(`scrollY > ${scrolled}`);
});

test('a drag over the lanes zooms to that part, a drag of the times moves it', async (t) => {
  const { page } = await timeline(t, [at(3_500, 'pod.deleted', 'shop/a'), at(30, 'pod.deleted', 'shop/b')]);
  const box = await page.locator('#chart').boundingBox();
  assert.ok(box);
  const drag = async (from: number, to: number, y: number) => {
    await page.mouse.move(box.x + box.width * from, box.y + y);
    await page.mouse.down();
    await page.mouse.move(box.x + box.width * to, box.y + y, { steps: 4 });
    await page.mouse.up();
  };
  await drag(0.5, 0.25, 40);
  await page.locator('#timeline-count', { hasText: /13:18:\d\d to 13:33:\d\d/ }).waitFor();
  await drag(0.25, 0.75, 10);
  await page.locator('#timeline-count', { hasText: /13:1[01]:\d\d to 13:2[56]:\d\d/ }).waitFor();
});

test('two fingers zoom, and one moves the range', async (t) => {
  const moments = [at(3_500, 'pod.deleted', 'shop/a'), at(30, 'pod.deleted', 'shop/b')];
  const { page } = await timeline(t, moments, { viewport: { width: 360, height: 740 }, hasTouch: true });
  const touch = await page.context().newCDPSession(page);
  await page.locator('#chart').scrollIntoViewIfNeeded();
  const box = await page.locator('#chart').boundingBox();
  assert.ok(box);
  const points = (...shares: number[]) => shares.map((share) => ({ x: box.x + box.width * share, y: box.y + 40 }));
  const send = (type: 'touchStart' | 'touchMove' | 'touchEnd', ...shares: number[]) =>
    touch.send('Input.dispatchTouchEvent', { type, touchPoints: points(...shares) });
  await send('touchStart', 0.4, 0.6);
  for (const by of [0.05, 0.1, 0.2, 0.3]) await send('touchMove', 0.4 - by, 0.6 + by);
  await send('touchEnd');
  await page.locator('#timeline-count', { hasText: /13:25:\d\d to 13:40:\d\d/ }).waitFor();
  await send('touchStart', 0.2);
  for (const to of [0.4, 0.6, 0.8]) await send('touchMove', to);
  await send('touchEnd');
  await page.locator('#timeline-count', { hasText: /13:1[67]:\d\d to 13:3[12]:\d\d/ }).waitFor();
});

test('a mark and a bar open their event: its row is in view, highlighted, and has the focus', async (t) => {
  const many = Array.from({ length: 500 }, (_, n) => at(3_000 - n * 5, 'pod.skipped', 'shop/other'));
  const moments = [at(3_500, 'service.notReady', 'shop/db'), at(3_400, 'pod.deleted', 'shop/db'), ...many];
  const { page } = await timeline(t, [...moments, at(1, 'pod.deleted', 'shop/a')]);
  await page.locator('#moments tr').first().waitFor();
  assert.equal(await page.locator('tr', { hasText: 'shop/db' }).count(), 0, 'too old for the newest rows');
  const current = page.locator('tr[aria-current=true]');
  for (const [selector, what] of [
    ['.lane[data-about="shop/db"] .deletion', 'pod.deleted'],
    ['.lane[data-about="shop/db"] .outage', 'service.notReady'],
  ] as const) {
    await page.locator(selector).first().click();
    await current.and(page.locator(`[data-what="${what}"]`)).waitFor();
    await page.locator(`${selector}.chosen`).waitFor({ state: 'attached' });
    await page.waitForFunction(`document.activeElement?.matches('tr[data-what="${what}"]')`);
    assert.equal(await current.count(), 1);
    const [row, list] = [await current.boundingBox(), await page.locator('#timeline .scroll').boundingBox()];
    assert.ok(row && list && row.y >= list.y && row.y + row.height <= list.y + list.height + 1, 'it is in view');
  }
});

test('by keyboard, the next and the previous event are chosen and announced, and Enter opens the row', async (t) => {
  const { page } = await timeline(t, outageOfDemo);
  await page.locator('#chart').focus();
  const chosen = (what: string) => page.locator(`tr[aria-current=true][data-what="${what}"]`).waitFor();
  await page.keyboard.press('n');
  await chosen('service.notReady');
  await page.keyboard.press('n');
  await chosen('window.opened');
  await page.keyboard.press('n');
  await chosen('pod.deleted');
  await page.locator('#announcements', { hasText: '14:03:04, pod deleted, shop/etcd, shop/api-1' }).waitFor();
  await page.keyboard.press('n');
  await page.locator('#announcements', { hasText: 'There is no later event.' }).waitFor();
  await page.keyboard.press('p');
  await chosen('window.opened');
  assert.equal(await page.evaluate('document.activeElement.id'), 'chart');
  await page.keyboard.press('Enter');
  await page.waitForFunction(`document.activeElement.matches('tr[data-what="window.opened"]')`);
  const cells = page.locator('tr[data-what="window.opened"] td');
  assert.equal(await cells.nth(3).textContent(), '', 'a window is of no pod');
});

test('each kind of event has its own shape, and a button that hides its marks, rows and lanes', async (t) => {
  const { page } = await timeline(t, [
    at(600, 'pod.deleted', 'shop/db'),
    at(500, 'workload.restarted', 'Deployment shop/web'),
    at(400, 'resource.corrected', 'Application shop/web'),
    at(300, 'resource.drifted', 'Application shop/web'),
    at(200, 'deletion.failed', 'shop/db'),
    at(100, 'config.applied', 'config'),
  ]);
  const kinds = ['deletion', 'restart', 'correction', 'drift', 'problem'];
  const shapes = await Promise.all(kinds.map((kind) => page.locator(`.lane .${kind}`).getAttribute('d')));
  assert.equal(new Set(shapes).size, kinds.length);
  const legend = page.getByRole('group', { name: 'Kinds of events' });
  const restarts = legend.getByRole('button', { name: 'restart', pressed: true });
  assert.equal(await restarts.locator('path').getAttribute('d'), shapes[1], 'the legend has the same shape');
  await restarts.press('Space');
  await legend.getByRole('button', { name: 'restart', pressed: false }).waitFor();
  await page.locator('.lane[data-about="Deployment shop/web"]').waitFor({ state: 'detached' });
  assert.equal(await page.locator('#moments tr', { hasText: 'restarted' }).count(), 0);
  await legend.getByRole('button', { name: 'other, only in the table' }).click();
  await page.locator('#moments tr', { hasText: 'config' }).waitFor({ state: 'detached' });
  assert.equal(await page.locator('#moments tr').count(), 4);
  await legend.getByRole('button', { name: 'restart' }).click();
  await page.locator('.lane .restart').waitFor({ state: 'attached' });
});

test('what only would happen is hatched, and the legend says so; what happened is not', async (t) => {
  const { page } = await timeline(t, [
    at(600, 'pod.deleted', 'shop/db', { words: 'pod would be deleted', isDryRun: true }),
    at(500, 'workload.restarted', 'Deployment shop/web'),
  ]);
  const deletion = page.locator('.lane .deletion.would');
  await page.waitForFunction(
    `getComputedStyle(document.querySelector('.lane .deletion.would')).fill === 'url("#hatch")'`,
  );
  assert.match((await deletion.locator('title').textContent()) ?? '', /pod would be deleted/);
  assert.equal(await page.locator('.lane .restart.would').count(), 0);
  const sentence = page.getByText('dry run: would happen');
  await sentence.waitFor();
  await page.getByRole('button', { name: 'deletion' }).click();
  await sentence.waitFor({ state: 'hidden' });
});

test('an outage that began before the range says since when, one that began in it does not', async (t) => {
  const { page } = await timeline(t, [
    at(7_200, 'service.notReady', 'shop/old'),
    at(60, 'service.notReady', 'shop/new'),
  ]);
  await page.locator('.lane text', { hasText: 'shop/old down since 12:03:07' }).waitFor();
  assert.equal(await page.locator('.lane[data-about="shop/new"] text').textContent(), 'shop/new');
});

test('300 lanes of 10,000 events are there at once, grouped by namespace, and only those in view are drawn', async (t) => {
  const moments = Array.from({ length: 10_000 }, (_, n) =>
    at(3_500 - n * 0.34, 'pod.deleted', `team-${n % 20}/svc-${n % 300}`),
  );
  const { page } = await timeline(t, [...moments, at(1, 'service.notReady', 'team-9/down')]);
  await page.locator('#timeline-count', { hasText: '301 lanes, 10,001 events' }).waitFor();
  const first = page.locator('.chart .heading').first();
  assert.equal(await first.textContent(), 'Outages (1)');
  assert.equal(await page.locator('.lane').first().getAttribute('data-about'), 'team-9/down');
  assert.ok((await page.locator('body *').count()) < 4_000);
  await page.locator('#chart').evaluate((chart) => chart.scrollTo(0, chart.scrollHeight));
  await page.locator('.lane[data-about="team-19/svc-299"]').waitFor();
  await page.locator('.chart .heading', { hasText: 'Other events in team-19 (15)' }).waitFor({ state: 'attached' });
  const drawn = await page.evaluate<number>(`new Promise((resolve) => {
    const began = performance.now();
    document.getElementById('timeline-in').click();
    requestAnimationFrame(() => resolve(performance.now() - began));
  })`);
  t.diagnostic(`a zoom is drawn after ${Math.round(drawn)} ms`);
});
