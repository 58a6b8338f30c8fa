import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { until } from '@weeder/kube-runtime/testing';
import type { Moment, PageMessage } from '@weeder/live-page';
import { hello, scene } from '@weeder/live-page/scenes';
import { openPage } from '../support/browser.ts';

const start = Date.UTC(2026, 10, 21, 14, 0, 0);
const clock = {
  type: 'clock',
  now: start + 60_000,
  startsAt: start,
  endsAt: start + 100_000,
  isPlaying: false,
  speed: 1,
} as const;

function at(seconds: number, what: string): Moment {
  return { t: start + seconds * 1_000, what, words: what, about: 'shop/db', detail: '' };
}

const recording = {
  type: 'history',
  moments: [at(20, 'service.notReady'), at(50, 'window.opened'), at(80.5, 'pod.deleted'), at(90, 'window.closed')],
} satisfies PageMessage;

/** A replay of a recording of 100 s that stands at 60 s, and its chart. */
async function replay(t: TestContext) {
  const seen = await openPage(
    t,
    (server) => {
      server.greeting = [hello(clock.now, 'replay'), clock, ...scene(clock.now).slice(1, 2), recording];
    },
    { path: '/#timeline', timezoneId: 'UTC' },
  );
  await seen.page.locator('.lane[data-about="shop/db"]').waitFor({ state: 'attached' });
  const box = await seen.page.locator('#chart').boundingBox();
  assert.ok(box);
  /** Seconds after the start of each seek. */
  const seeks = () =>
    seen.server.commands.flatMap((each) => (each.do === 'seek' ? [Math.round((each.to - start) / 100) / 10] : []));
  const sought = (...expected: number[]) =>
    until(
      `sought to ${expected}`,
      () => seeks().every((to, n) => Math.abs(to - (expected[n] ?? 0)) <= 0.5) && seeks().length === expected.length,
    );
  const x = (seconds: number) => box.x + (box.width * seconds) / 100;
  return { ...seen, sought, x, y: box.y + box.height - 20 };
}

test('the chart and the table have the whole recording, and what lies after the cursor is dimmed', async (t) => {
  const { page, server, consoleLines } = await replay(t);
  await page.locator('tr[data-what="pod.deleted"].soft').waitFor();
  await page.locator('tr[data-what="window.opened"]:not(.soft)').waitFor();
  assert.equal(await page.locator('.lane[data-about="shop/db"] .deletion').count(), 1);
  const [cursor, later] = [page.locator('line.cursor'), page.locator('rect.later')];
  assert.equal(await later.getAttribute('x'), await cursor.getAttribute('x1'));
  const before = Number(await cursor.getAttribute('x1'));
  server.send({ ...clock, now: start + 85_000 });
  await page.locator('tr[data-what="pod.deleted"]:not(.soft)').waitFor();
  assert.ok(Number(await cursor.getAttribute('x1')) > before);
  server.send(recording, { type: 'moment', moment: at(80.5, 'pod.deleted') });
  server.send({ ...clock, now: start + 86_000 });
  await page.getByText('14:01:26 of 14:01:40').waitFor();
  assert.equal(await page.locator('#moments tr').count(), 4, 'what is played is not there twice');
  assert.deepEqual(consoleLines, []);
});

test('a decision that differs from the recorded one has a mark of its own, with the sentence, and a row', async (t) => {
  const { page, server } = await replay(t);
  const chip = page.getByRole('button', { name: 'differs from the recording' });
  assert.equal(await chip.isVisible(), false);
  const words = 'pod deleted (recorded, not replayed)';
  const difference = {
    ...at(85, 'decision.differs'),
    words,
    pod: 'shop/api-1',
    detail: 'CrashLoopBackOff, restarts 4',
  };
  server.send({ ...recording, moments: [...recording.moments, difference] });
  const mark = page.locator('.lane[data-about="shop/db"] .deviation');
  assert.match(
    (await mark.locator('title').textContent()) ?? '',
    /pod deleted \(recorded, not replayed\) · shop\/api-1 · CrashLoopBackOff, restarts 4$/,
  );
  await mark.click();
  await page.getByRole('row', { name: words }).and(page.locator('[aria-current=true]')).waitFor();
  await chip.click();
  await mark.waitFor({ state: 'detached' });
  await page.getByRole('row', { name: words }).waitFor({ state: 'detached' });
  assert.equal(await chip.isVisible(), true, 'it can be switched on again');
});

test('a click in the chart moves the cursor there, and a click on a mark to its event', async (t) => {
  const { page, x, y, sought } = await replay(t);
  await page.mouse.click(x(10), y);
  await sought(10);
  await page.locator('.lane[data-about="shop/db"] .deletion').click();
  await sought(10, 80.5);
  await page.locator('tr[data-what="pod.deleted"][aria-current=true]').waitFor();
});

test('a drag moves the cursor and shows the time, and weeder plays when it ends', async (t) => {
  const { page, server, x, y, sought } = await replay(t);
  await page.mouse.move(x(60), y);
  await page.mouse.down();
  await page.mouse.move(x(30), y, { steps: 5 });
  await page.getByText(/14:00:(29|30) of 14:01:40/).waitFor();
  server.send({ ...clock, now: start + 60_100 });
  const middle = Number(await page.locator('line.cursor').getAttribute('x1'));
  const width = Number(await page.locator('#chart').evaluate(({ clientWidth }) => clientWidth));
  assert.ok(Math.abs(middle / width - 0.3) < 0.02, `the cursor is at ${middle} of ${width}`);
  assert.deepEqual(server.commands, []);
  await page.mouse.up();
  await sought(30);
});

test('by keys and buttons, the cursor moves to the next and the previous event', async (t) => {
  const { page, server, sought } = await replay(t);
  await page.locator('#chart').focus();
  await page.keyboard.press('n');
  await sought(80.5);
  server.send({ ...clock, now: start + 80_500 });
  await page.getByText('14:01:20 of 14:01:40', { exact: true }).waitFor();
  await page.keyboard.press('p');
  await sought(80.5, 50);
  server.send({ ...clock, now: start + 50_000 });
  await page.getByText('14:00:50 of 14:01:40', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Previous event' }).click();
  await sought(80.5, 50, 20);
});

test('a command that is not accepted says why, until one is accepted', async (t) => {
  const { page } = await replay(t);
  const refusal = page.getByText('Not accepted: only the page itself may control the replay');
  await page.route('**/replay', (route) =>
    route.fulfill({ status: 403, body: 'only the page itself may control the replay\n' }),
  );
  await page.getByRole('button', { name: 'Play' }).click();
  await refusal.waitFor();
  await page
    .locator('#announcements', { hasText: 'did not accept the command: only the page itself may control the replay' })
    .waitFor();
  await page.unroute('**/replay');
  await page.getByRole('button', { name: 'Step' }).click();
  await refusal.waitFor({ state: 'hidden' });
});
