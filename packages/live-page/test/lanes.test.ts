import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Moment } from '../protocol/moment.ts';
import { serviceView, unseenView } from '../scenes/views.ts';
import { laneRank, lanesOf } from '../src/timeline/spans.ts';

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
  const lasting = { to: undefined, hasBegunBefore: false };
  assert.deepEqual(
    lanes.map(({ about, outages }) => [about, outages]),
    [
      ['shop/down', [{ from: 110, ...lasting }]],
      ['shop/unseen', [{ from: 50, ...lasting }]],
      ['shop/late', [{ from: 120, ...lasting }]],
      ['shop/gone', [{ from: 110, ...lasting }]],
    ],
  );
});
