import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Moment } from '../protocol/moment.ts';
import { serviceView, unseenView } from '../scenes/views.ts';
import { rowsOf } from '../src/timeline/lanes.ts';
import { beginningOf, laneRank, lanesOf, onlyKinds } from '../src/timeline/spans.ts';

const range = { from: 100, to: 200 };
const at = (t: number, what: string, about: string): Moment => ({ t, what, words: '', about, detail: '' });

/** `about rank` of each lane. */
const ranks = (...moments: Moment[]) => lanesOf(moments).map((lane) => `${lane.about} ${laneRank(lane, range)}`);

test('an outage that lasts ranks before a problem or an open window, and what else happened; nothing has no rank', () => {
  assert.deepEqual(
    ranks(
      at(10, 'service.notReady', 'down'),
      at(110, 'deletion.failed', 'failed'),
      at(110, 'window.opened', 'open'),
      at(110, 'service.notReady', 'recovered'),
      at(120, 'service.ready', 'recovered'),
      at(110, 'pod.deleted', 'deleted'),
      at(110, 'service.ready', 'found'),
    ),
    ['down 0', 'failed 1', 'open 1', 'recovered 2', 'deleted 2', 'found undefined'],
  );
});

test('what happened outside the range does not count', () => {
  assert.deepEqual(
    ranks(
      at(10, 'service.notReady', 'recovered'),
      at(20, 'service.ready', 'recovered'),
      at(10, 'deletion.failed', 'failed'),
      at(250, 'service.notReady', 'later'),
    ),
    ['recovered undefined', 'failed undefined', 'later undefined'],
  );
});

test('a service that was not ready when weeder started has an outage since then; one that has one keeps it', () => {
  const notReady = [
    unseenView('unseen', 50),
    unseenView('late', 120, { isFromStart: false }),
    serviceView('down', { isReady: false, since: 110, readyUntil: 110 }),
    serviceView('gone', { isReady: false, exists: false, since: 130, readyUntil: 110 }),
    unseenView('typo', 0, { namespace: '', since: undefined, exists: false }),
  ];
  const lanes = lanesOf([at(110, 'service.notReady', 'shop/down')], notReady);
  assert.deepEqual(
    lanes.map(({ about, outages }) => [about, outages.map(({ from, to, moment }) => [from, to, moment?.t])]),
    [
      ['shop/down', [[110, undefined, 110]]],
      ['shop/unseen', [[50, undefined, undefined]]],
      ['shop/late', [[120, undefined, undefined]]],
      ['shop/gone', [[110, undefined, undefined]]],
    ],
  );
});

test('in a recording, an outage that ends later is drawn once, and one from the start until the service is found ready', () => {
  const moments = [
    at(110, 'service.notReady', 'shop/down'),
    at(150, 'service.ready', 'shop/down'),
    at(140, 'service.ready', 'shop/unseen'),
  ];
  const lanes = lanesOf(moments, [
    serviceView('down', { isReady: false, since: 110, readyUntil: 110 }),
    unseenView('unseen', 100),
  ]);
  assert.deepEqual(
    lanes.map(({ about, outages }) => [about, outages.map(({ from, to }) => [from, to])]),
    [
      ['shop/down', [[110, 150]]],
      ['shop/unseen', [[100, 140]]],
    ],
  );
});

test('a kind that is switched off is not drawn, does not rank, and is not fitted to', () => {
  const [lane] = lanesOf([
    at(110, 'service.notReady', 'a'),
    at(120, 'window.opened', 'a'),
    at(130, 'pod.deleted', 'a'),
  ]);
  assert.ok(lane);
  const without = (...off: string[]) => onlyKinds(lane, (kind) => !off.includes(kind));
  assert.deepEqual([beginningOf([lane]), laneRank(lane, range)], [110, 1]);
  const fewer = without('outage', 'window', 'recovery');
  assert.deepEqual([beginningOf([fewer]), laneRank(fewer, range)], [130, 2]);
  const none = without('outage', 'window', 'recovery', 'deletion');
  assert.deepEqual([beginningOf([none]), laneRank(none, range)], [undefined, undefined]);
});

/** The headings and the objects of the rows. */
const rowNames = (moments: readonly Moment[]) =>
  rowsOf(lanesOf(moments), range).map((row) => ('heading' in row ? row.heading : row.lane.about));

test('many lanes are grouped, the worst first, the others by namespace; few are not grouped', () => {
  const calm = [1, 2].flatMap((team) =>
    Array.from({ length: 12 }, (_, n) => at(150, 'pod.deleted', `team-${team}/svc-${n}`)),
  );
  const moments = [
    at(150, 'workload.restarted', 'Deployment team-2/web'),
    ...calm,
    at(150, 'service.notReady', 'team-2/down'),
    at(150, 'workload.blocked', 'Deployment team-1/api'),
  ];
  const rows = rowNames(moments);
  assert.deepEqual(rows.slice(0, 7), [
    ...['Outages (1)', 'team-2/down', 'Problems and open windows (1)', 'Deployment team-1/api'],
    ...['Other events in team-1 (12)', 'team-1/svc-0', 'team-1/svc-1'],
  ]);
  assert.deepEqual(rows.slice(17, 20), ['Other events in team-2 (13)', 'Deployment team-2/web', 'team-2/svc-0']);
  assert.deepEqual(rowNames(moments.slice(0, 3)), ['team-1/svc-0', 'team-1/svc-1', 'Deployment team-2/web']);
});

test('a namespace with one or two lanes has no heading of its own', () => {
  const moments = Array.from({ length: 30 }, (_, n) => at(150, 'service.notReady', `team-${n % 20}/svc-${n}`));
  const rows = rowNames(moments);
  assert.deepEqual([rows.length, rows[0]], [31, 'Outages (30)']);
});
