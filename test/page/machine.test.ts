import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { until } from '@weeder/kube-runtime/testing';
import { actorView, scene } from '@weeder/live-page/scenes';
import type { Page } from 'playwright-core';
import { openPage } from './support/browser.ts';

const now = Date.UTC(2026, 10, 21, 14, 3, 7);
const actor = actorView('shop/db', { states: ['ready', 'ready.windowOpen', 'ready.windowOpen.settled'] });
const greeting = [...scene(now), { type: 'actor', actor }] as const;
const path = '/#machine=shop%2Fdb';
const widthOf = 'document.querySelector("#picture svg").getBoundingClientRect().width';

/** Waits for an expression in the page. Its policy forbids Playwright's own way, which evaluates texts in it. */
async function becomesTrue(page: Page, expression: string): Promise<void> {
  while ((await page.evaluate(expression)) !== true) await pause(20);
}

interface Rect {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** The frame, the picture and the highlighted state in it, by their places in the window, when the picture is shown. */
async function seen(page: Page): Promise<{ readonly frame: Rect; readonly picture: Rect; readonly lit: Rect }> {
  const rect = async (selector: string): Promise<Rect> =>
    JSON.parse(
      String(await page.evaluate(`JSON.stringify(document.querySelector('${selector}').getBoundingClientRect())`)),
    );
  await page.locator('[data-state="ready.windowOpen.settled"].lit').waitFor();
  return {
    frame: await rect('#picture'),
    picture: await rect('#picture svg'),
    lit: await rect('[data-state="ready.windowOpen.settled"]'),
  };
}

/** The same by the places in the frame, which do not change when the page is scrolled. */
function inFrame({ frame, picture, lit }: Awaited<ReturnType<typeof seen>>): readonly (readonly number[])[] {
  return [picture, lit].map(({ x, y, width, height }) => [x - frame.x, y - frame.y, width, height].map(Math.round));
}

function isWithin(inner: Rect, outer: Rect): boolean {
  const [right, bottom] = [inner.x + inner.width, inner.y + inner.height];
  return inner.x >= outer.x && inner.y >= outer.y && right <= outer.x + outer.width && bottom <= outer.y + outer.height;
}

for (const viewport of [
  { width: 1400, height: 900 },
  { width: 360, height: 740 },
])
  test(`${viewport.width}: a machine opens fitted, and is so again after zoom, pan and another size of the window`, async (t) => {
    const { page, consoleLines } = await openPage(
      t,
      (server) => {
        server.greeting = greeting;
      },
      { path, viewport },
    );
    const fitted = await seen(page);
    assert.ok(isWithin(fitted.picture, fitted.frame), JSON.stringify(fitted));
    const fit = page.getByRole('button', { name: 'Fit', exact: true });
    assert.equal(await fit.getAttribute('aria-pressed'), 'true');

    await page.getByRole('button', { name: 'Active state' }).click();
    const full = await seen(page);
    assert.equal(
      full.picture.width,
      await page.evaluate('document.querySelector("#picture svg").viewBox.baseVal.width'),
    );
    assert.ok(isWithin(full.lit, full.frame), JSON.stringify(full));
    assert.equal(await fit.getAttribute('aria-pressed'), 'false');

    await fit.click();
    assert.deepEqual(inFrame(await seen(page)), inFrame(fitted));
    await page.getByRole('button', { name: 'Zoom in' }).click();
    await page.locator('#picture').press('+');
    const closer = await seen(page);
    assert.ok(Math.abs(closer.picture.width / fitted.picture.width - 1.25 ** 2) < 0.02, JSON.stringify(closer));
    await page.locator('#picture').press('-');
    await page.getByRole('button', { name: 'Zoom out' }).click();
    assert.deepEqual(inFrame(await seen(page)), inFrame(fitted));

    await page.locator('#picture').press('+');
    await page.locator('#picture').press('0');
    assert.deepEqual(inFrame(await seen(page)), inFrame(fitted));
    await page.setViewportSize({ width: viewport.width - 40, height: viewport.height - 100 });
    await becomesTrue(page, `${widthOf} < ${fitted.picture.width}`);
    const smaller = await seen(page);
    assert.ok(isWithin(smaller.picture, smaller.frame), JSON.stringify(smaller));
    assert.deepEqual(consoleLines, []);
  });

test('the wheel with Ctrl zooms at the pointer, the wheel alone does not, and dragging pans', async (t) => {
  const { page } = await openPage(
    t,
    (server) => {
      server.greeting = greeting;
    },
    { path, viewport: { width: 1400, height: 900 } },
  );
  const fitted = await seen(page);
  // A picture that is narrower than its frame stays in the middle of it.
  const [x, y] = [fitted.picture.x + fitted.picture.width / 2, fitted.lit.y + fitted.lit.height / 2];
  await page.mouse.move(x, y);
  await page.mouse.wheel(0, -300);
  assert.equal((await seen(page)).picture.width, fitted.picture.width);
  await page.keyboard.down('Control');
  await page.mouse.wheel(0, -300);
  await page.keyboard.up('Control');
  await becomesTrue(page, `${widthOf} > 1.5 * ${fitted.picture.width}`);
  const { lit, picture } = await seen(page);
  assert.ok(Math.abs(picture.x + picture.width / 2 - x) < 4, JSON.stringify(picture));
  assert.ok(Math.abs(lit.y + lit.height / 2 - y) < 4, JSON.stringify(lit));
  await page.mouse.down();
  await page.mouse.move(x, y - 60, { steps: 4 });
  await page.mouse.up();
  const panned = await seen(page);
  assert.ok(Math.abs(panned.lit.y - (lit.y - 60)) < 4, JSON.stringify([lit, panned.lit]));
  await page.mouse.move(x, y);
  assert.deepEqual(inFrame(await seen(page)), inFrame(panned));
});

test('after a zoom a transition does not move the picture, and with Active state it does', async (t) => {
  const { page, server } = await openPage(
    t,
    (server) => {
      server.greeting = greeting;
    },
    { path, viewport: { width: 1400, height: 900 } },
  );
  await seen(page);
  await page.getByRole('button', { name: 'Active state' }).click();
  const top = 'document.querySelector("#picture").scrollTop';
  const scrolled = () => page.evaluate(top);
  const before = await scrolled();
  const send = async (state: string) => {
    const states = [state.split('.')[0] ?? '', state];
    server.send({ type: 'actor', actor: { ...actor, states } });
    await page.locator(`.box.lit[data-state="${state}"]`).first().waitFor();
  };
  await send('notReady.idle');
  await becomesTrue(page, `${top} !== ${before}`);
  await page.getByRole('button', { name: 'Zoom in' }).click();
  const chosen = await scrolled();
  await send('ready.idle');
  assert.equal(await scrolled(), chosen);
});

test('one click copies the source for Stately, and without a clipboard opens it', async (t) => {
  const { page } = await openPage(
    t,
    (server) => {
      server.greeting = greeting;
    },
    { path, permissions: ['clipboard-read', 'clipboard-write'] },
  );
  await seen(page);
  const copy = page.getByRole('button', { name: 'Copy for Stately' });
  await copy.click();
  await page.getByText('Copied: paste it at sketch.stately.ai.').waitFor();
  const source = readFileSync(new URL('../../visualizations/endpoint.json', import.meta.url), 'utf8');
  assert.equal(await page.evaluate('navigator.clipboard.readText()'), source);
  await page.evaluate('Object.defineProperty(navigator, "clipboard", { value: undefined })');
  await copy.click();
  await page.waitForURL('**/machines/endpoint.json');
});

for (const [machines, opened] of [
  [['reflector', 'manager', 'endpoint'], 'endpoint'],
  [['reflector', 'manager', 'application'], 'application'],
  [['lease', 'manager'], 'manager'],
  [[], 'endpoint'],
] as const)
  test(`with actors of ${machines.join(', ') || 'no machine'}, Machine opens at ${opened}, and Back leads to the view before`, async (t) => {
    const { page, server } = await openPage(t, (server) => {
      server.greeting = scene(now);
      server.actors = machines.map((machine) => ({ ...actorView(machine), machine }));
    });
    await page.getByRole('link', { name: 'Machine', exact: true }).click();
    await page.getByRole('heading', { name: `Machine: ${opened}` }).waitFor();
    assert.ok(page.url().endsWith(`/#machine=${encodeURIComponent(`newest:${opened}`)}`), page.url());
    await until('the page follows it', () => server.requests.includes(`/events?actor=newest%3A${opened}`));
    await page.goBack();
    await page.getByRole('heading', { name: 'Services', exact: true }).waitFor();
  });
