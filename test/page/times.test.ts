import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  actorView,
  applicationScene,
  dependencyScene,
  hello,
  processView,
  scene,
  unseenView,
  workloadScene,
} from '@weeder/live-page/scenes';
import type { PageServer } from '../support/page/pageServer.ts';
import { openPage, visit } from './support/browser.ts';

const now = Date.UTC(2026, 10, 21, 14, 3, 7);
const timezoneId = 'Europe/Berlin';

function everything(server: PageServer): void {
  const gone = unseenView('gone', now, { exists: false, readyUntil: now - 60_000 });
  const actor = actorView('shop/db', { since: now - 5_000 });
  const transition = { at: now, event: 'endpoint.ready', from: 'notReady', to: 'ready.idle' };
  server.greeting = [
    ...scene(now),
    { type: 'service', service: gone },
    { type: 'actor', actor },
    { type: 'actor', actor, transition },
    { type: 'clock', now, startsAt: now - 1_000_000, endsAt: now, isPlaying: false, speed: 1 },
  ];
  server.workloads = workloadScene(now);
  server.applications = applicationScene(now);
  server.dependencies = dependencyScene(now);
}

/** In the page: the times that are no `<time>` with a tooltip. The chart is hidden from screen readers. */
const bareTimes = `(() => {
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  const bare = [];
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const titled = node.parentElement.closest('time[datetime][title], svg');
    if (titled === null && /\\d:\\d\\d|\\dT\\d\\d/.test(node.data)) bare.push(node.data);
  }
  return bare;
})()`;

test('every time in a view has its date, zone and UTC', async (t) => {
  const { page, consoleLines } = await openPage(t, everything, { timezoneId });
  for (const [view, name] of [
    ['services', 'gone'],
    ['workloads', 'Deployment shop/mail'],
    ['applications', 'shop/api'],
    ['machine=shop%2Fdb', 'endpoint.ready'],
    ['timeline', 'window opened'],
  ] as const) {
    await page.evaluate(`location.hash = '${view}'`);
    await page.locator('main').getByText(name).filter({ visible: true }).first().waitFor();
    assert.notEqual(await page.locator('main time').filter({ visible: true }).count(), 0, view);
    assert.deepEqual(await page.evaluate(bareTimes), [], view);
  }
  assert.deepEqual(consoleLines, []);
});

test('a time in the head gets its date when the day is over', async (t) => {
  const lastHour = Date.UTC(2026, 10, 21, 22, 30);
  const { page, server } = await openPage(
    t,
    (server) => {
      const { config, ...process } = processView();
      const ofToday = { ...config, appliedAt: lastHour };
      const standby = { type: 'leadership', state: 'standingBy', holder: 'weeder-1', heldSince: lastHour } as const;
      server.greeting = [hello(lastHour), { type: 'process', process: { ...process, config: ofToday } }, standby];
    },
    { timezoneId },
  );
  const [since, inForce] = [page.locator('#standby time'), page.locator('#process time')];
  await since.getByText(/^23:30:00$/).waitFor();
  await inForce.getByText(/^23:30:00$/).waitFor();
  server.ahead = 3_600_000;
  await since.getByText('21 Nov 2026, 23:30:00').waitFor();
  await inForce.getByText('21 Nov 2026, 23:30:00').waitFor();
});

test('the reason of a restart has local times, and the switch to UTC is kept in the address', async (t) => {
  const { page, server } = await openPage(t, everything, { timezoneId, path: '/#workloads' });
  const opens = page.getByRole('row', { name: 'Deployment shop/mail' }).locator('time').first();
  // Until the clock of the server is known, a time may have its date.
  await opens.getByText(/^23:00:00$/).waitFor();
  assert.equal(await opens.getAttribute('datetime'), '2026-11-21T22:00:00.000Z');
  assert.equal(await opens.getAttribute('title'), '21 Nov 2026, 23:00:00 CET (2026-11-21T22:00:00Z)');

  await page.getByLabel('Times').selectOption('UTC');
  await page.waitForURL(/\/\?time=utc#workloads$/);
  for (const { page: either } of [{ page }, await visit(t, `${server.url}/?time=utc#workloads`, { timezoneId })]) {
    const sameTime = either.getByRole('row', { name: 'Deployment shop/mail' }).locator('time').first();
    await sameTime.getByText(/^22:00:00$/).waitFor();
    assert.equal(await sameTime.getAttribute('title'), '21 Nov 2026, 22:00:00 UTC (2026-11-21T22:00:00Z)');
    assert.equal(await either.getByLabel('Times').inputValue(), 'utc');
  }
  await page.getByLabel('Times').selectOption('Local');
  await page.waitForURL(/\/#workloads$/);
});
