import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { mayRestart, type RestartConditions } from '../../../src/restart/pace/mayRestart.ts';

const minute = 60_000;
const now = Date.UTC(2026, 10, 21, 18);
const ago = (...minutes: readonly number[]) => minutes.map((each) => now - each * minute);
const window = { cron: '0 22 * * 1-5', timeZone: 'Europe/Berlin', duration: 120 * minute };
const free: RestartConditions = {
  now,
  pausedUntil: undefined,
  isPaused: false,
  restarts: [],
  minInterval: minute,
  maintenanceWindows: [],
};
/** Everything that can delay a restart, in the order in which it is reported. */
const obstacles = {
  unreadable: { pausedUntil: 'unreadable' },
  paused: { pausedUntil: now + 60 * minute },
  breaker: { restarts: ago(5, 4, 3, 2, 0.5) },
  deploymentPaused: { isPaused: true },
  interval: { restarts: ago(0.5) },
  maintenance: { maintenanceWindows: [window] },
} as const satisfies Record<string, Partial<RestartConditions>>;

test('without an obstacle, a restart is allowed now', () => {
  assert.deepEqual(mayRestart(free), { type: 'allowed' });
  assert.deepEqual(mayRestart({ ...free, restarts: ago(30, 20, 10, 5, 1), pausedUntil: now }), { type: 'allowed' });
});

test('an unreadable annotation blocks the restart until it changes, and is never ignored', () => {
  assert.deepEqual(mayRestart({ ...free, ...obstacles.unreadable }), {
    type: 'blocked',
    cause: 'annotation',
    reason:
      'its annotation weeder.dev/paused-until is not a time: write one such as 2026-11-21T18:00:00Z, or remove it',
    until: undefined,
  });
  assert.deepEqual(mayRestart({ ...free, annotationErrors: ['this is wrong', 'and that'] }), {
    type: 'blocked',
    cause: 'annotation',
    reason: 'this is wrong; and that',
    until: undefined,
  });
});

test('a restart is pending until a pause ends', () => {
  assert.deepEqual(mayRestart({ ...free, ...obstacles.paused }), {
    type: 'pending',
    cause: 'pausedUntil',
    reason: 'it is paused until 2026-11-21T19:00:00Z (annotation weeder.dev/paused-until)',
    until: now + 60 * minute,
  });
});

test('the breaker blocks the restart for a time, and the reason says what to do', () => {
  assert.deepEqual(mayRestart({ ...free, ...obstacles.breaker }), {
    type: 'blocked',
    cause: 'breaker',
    reason:
      'it was restarted 5 times in 4m30s, and is not restarted before 2026-11-21T18:09:30Z: find out what changes its sources so often',
    until: now + 9.5 * minute,
  });
});

test('a restart is pending while the Deployment is paused, however long', () => {
  assert.deepEqual(mayRestart({ ...free, ...obstacles.deploymentPaused }), {
    type: 'pending',
    cause: 'paused',
    reason: 'the workload is paused (spec.paused), and waits until it is resumed',
    until: undefined,
  });
});

test('a restart is pending until minInterval after the previous one', () => {
  assert.deepEqual(mayRestart({ ...free, ...obstacles.interval }), {
    type: 'pending',
    cause: 'interval',
    reason:
      'it was restarted at 2026-11-21T17:59:30Z, and the next restart is not before 2026-11-21T18:00:30Z (minInterval 1m0s)',
    until: now + 0.5 * minute,
  });
});

test('a restart is pending until a maintenance window opens, and allowed while one is open', () => {
  const opensAt = Date.parse('2026-11-23T21:00:00Z');
  assert.deepEqual(mayRestart({ ...free, ...obstacles.maintenance }), {
    type: 'pending',
    cause: 'window',
    reason:
      'no maintenance window is open, the next opens at 2026-11-23T21:00:00Z and closes at 2026-11-23T23:00:00Z ("0 22 * * 1-5" in Europe/Berlin)',
    until: opensAt,
  });
  assert.deepEqual(mayRestart({ ...free, ...obstacles.maintenance, now: opensAt }), { type: 'allowed' });
});

test('with several obstacles, the first in order is reported', () => {
  const names = ['unreadable', 'paused', 'breaker', 'deploymentPaused', 'interval', 'maintenance'] as const;
  for (const [index, name] of names.entries()) {
    let given = free;
    for (const obstacle of names.slice(index).toReversed()) given = { ...given, ...obstacles[obstacle] };
    assert.deepEqual(mayRestart(given), mayRestart({ ...free, ...obstacles[name] }), name);
  }
});

test('repeating the check at each returned time leads to a restart after a few attempts, whatever the obstacles', () => {
  const times = fc.array(fc.integer({ min: -20 * minute, max: 20 * minute }), { maxLength: 5 });
  const given = fc.record({
    pausedUntil: fc.option(
      fc.integer({ min: -minute, max: 60 * minute }).map((ms) => now + ms),
      { nil: undefined },
    ),
    restarts: times.map((each) => each.map((ms) => now + ms)),
    minInterval: fc.nat(30 * minute),
    maintenanceWindows: fc.constantFrom([], [window], [window, { ...window, cron: '*/30 * * * *', duration: minute }]),
  });
  fc.assert(
    fc.property(given, (conditions) => {
      let time = now;
      for (let turn = 0; turn < 6; turn += 1) {
        const answer = mayRestart({ ...free, ...conditions, now: time });
        if (answer.type === 'allowed') return;
        assert.ok(answer.until !== undefined && answer.until > time, answer.reason);
        time = answer.until;
      }
      assert.fail('still not, after six times');
    }),
  );
});
