import assert from 'node:assert/strict';
import { test } from 'node:test';
import { propertyRuns } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import { type MaintenanceWindow, maintenanceAt } from '../../../src/config/maintenance.ts';

const hour = 3_600_000;
const evenings: MaintenanceWindow = { cron: '0 22 * * 1-5', timeZone: 'Europe/Berlin', duration: 2 * hour };
const sundays: MaintenanceWindow = { cron: '0 4 * * 0', timeZone: 'UTC', duration: hour };

function at(time: string, ...windows: readonly MaintenanceWindow[]): string {
  const answer = maintenanceAt(windows, Date.parse(time));
  if (answer.type === 'open') return 'open';
  return answer.opensAt === undefined ? 'never' : `${new Date(answer.opensAt).toISOString()} ${answer.window.cron}`;
}

test('without windows, restarts are always allowed', () => {
  assert.equal(at('2026-01-01T00:00:00Z'), 'open');
});

test('a window is open from its first to its last moment; at other times the next opening is known', () => {
  assert.equal(at('2026-07-03T19:59:59.999Z', evenings), '2026-07-03T20:00:00.000Z 0 22 * * 1-5');
  assert.equal(at('2026-07-03T20:00:00Z', evenings), 'open');
  assert.equal(at('2026-07-03T21:59:59.999Z', evenings), 'open');
  assert.equal(at('2026-07-03T22:00:00Z', evenings), '2026-07-06T20:00:00.000Z 0 22 * * 1-5');
});

test('with several windows one open window is enough; otherwise the one that opens first counts', () => {
  assert.equal(at('2026-07-05T04:30:00Z', evenings, sundays), 'open');
  assert.equal(at('2026-07-04T12:00:00Z', evenings, sundays), '2026-07-05T04:00:00.000Z 0 4 * * 0');
  assert.equal(at('2026-07-06T12:00:00Z', sundays, evenings), '2026-07-06T20:00:00.000Z 0 22 * * 1-5');
});

test('a window is open for its duration of elapsed time, also in nights with a daylight saving change', () => {
  const nights: MaintenanceWindow = { cron: '30 1 * * *', timeZone: 'Europe/Berlin', duration: hour };
  // 1:30 is 0:30 UTC, and an hour later the clock shows 3:30.
  assert.equal(at('2026-03-29T01:29:59Z', nights), 'open');
  assert.equal(at('2026-03-29T01:30:00Z', nights), '2026-03-29T23:30:00.000Z 30 1 * * *');
  // 1:30 is 23:30 UTC; the second 2:00 is an hour and a half later.
  assert.equal(at('2026-10-25T00:29:59Z', nights), 'open');
  assert.equal(at('2026-10-25T01:00:00Z', nights), '2026-10-26T00:30:00.000Z 30 1 * * *');
});

test('a window at 2:30 opens in the night without a 2:30, and once in the night with two', () => {
  const nights: MaintenanceWindow = { cron: '30 2 * * *', timeZone: 'Europe/Berlin', duration: hour / 2 };
  assert.equal(at('2026-03-29T00:59:59Z', nights), '2026-03-29T01:00:00.000Z 30 2 * * *');
  assert.equal(at('2026-03-29T01:29:00Z', nights), 'open');
  assert.equal(at('2026-10-25T00:45:00Z', nights), 'open');
  assert.equal(at('2026-10-25T01:45:00Z', nights), '2026-10-26T01:30:00.000Z 30 2 * * *');
});

test('a window that opens again before it closes remains open', () => {
  const always: MaintenanceWindow = { cron: '0 * * * *', timeZone: 'UTC', duration: 24 * 24 * hour };
  for (const minute of ['00', '29', '59']) assert.equal(at(`2026-01-01T12:${minute}:00Z`, always), 'open');
});

test('maintenance is open for the duration of a window after it opens, and otherwise opens at the returned time', () => {
  const times = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 0, 1) });
  const zones = fc.constantFrom('UTC', 'Europe/Berlin', 'America/Santiago');
  const window = fc
    .record({
      hour: fc.nat(23),
      minute: fc.nat(59),
      day: fc.nat(6),
      timeZone: zones,
      minutes: fc.integer({ min: 1, max: 3000 }),
    })
    .map(({ hour, minute, day, timeZone, minutes }) => {
      return { cron: `${minute} ${hour} * * ${day}`, timeZone, duration: minutes * 60_000 };
    });
  fc.assert(
    fc.property(fc.array(window, { minLength: 1, maxLength: 3 }), times, (windows, now) => {
      const answer = maintenanceAt(windows, now);
      const later = answer.type === 'closed' ? (answer.opensAt ?? 0) : now;
      assert.ok(later - now <= 8 * 24 * hour);
      assert.equal(maintenanceAt(windows, later).type, 'open');
      if (answer.type === 'closed') assert.equal(maintenanceAt(windows, later - 1).type, 'closed');
    }),
    propertyRuns(200),
  );
});
