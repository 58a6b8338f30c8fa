import assert from 'node:assert/strict';
import { test } from 'node:test';
import { propertyRuns } from '@weeder/kube-runtime/testing';
import fc from 'fast-check';
import { refusedCron, refusedTimeZone, scheduleOf } from '../../src/config/schema/cron.ts';

/** The times after `from`, as ISO texts to the minute. */
function times(cron: string, from: string, count = 2, timeZone = 'Europe/Berlin'): string[] {
  const schedule = scheduleOf({ cron, timeZone });
  const starts: string[] = [];
  let time = Date.parse(from);
  while (starts.length < count) {
    const next = schedule.nextAfter(time);
    if (next === undefined) break;
    starts.push(new Date(next).toISOString().replace(':00.000Z', 'Z'));
    time = next;
  }
  return starts;
}

test('a cron expression is evaluated in its time zone, in summer and in winter', () => {
  assert.deepEqual(times('0 22 * * 1-5', '2026-07-03T12:00:00Z'), ['2026-07-03T20:00Z', '2026-07-06T20:00Z']);
  assert.deepEqual(times('0 22 * * 1-5', '2026-01-02T12:00:00Z'), ['2026-01-02T21:00Z', '2026-01-05T21:00Z']);
  assert.deepEqual(times('@daily', '2026-07-03T12:00:00Z', 1, 'UTC'), ['2026-07-04T00:00Z']);
});

test('in a night without 2:30 it occurs once, when the clock is put forward', () => {
  assert.deepEqual(times('30 2 * * *', '2026-03-28T12:00:00Z'), ['2026-03-29T01:00Z', '2026-03-30T00:30Z']);
  assert.deepEqual(times('30 2,14 * * *', '2026-03-28T18:00:00Z'), ['2026-03-29T01:00Z', '2026-03-29T12:30Z']);
});

test('in a night with two 2:30 it occurs once, at the first', () => {
  assert.deepEqual(times('30 2 * * *', '2026-10-24T12:00:00Z'), ['2026-10-25T00:30Z', '2026-10-26T01:30Z']);
});

test('a skipped midnight, and a change of half an hour', () => {
  assert.deepEqual(times('0 0 * * *', '2026-09-05T12:00:00Z', 2, 'America/Santiago'), [
    '2026-09-06T04:00Z',
    '2026-09-07T03:00Z',
  ]);
  assert.deepEqual(times('15 2 * * *', '2026-10-03T12:00:00Z', 1, 'Australia/Lord_Howe'), ['2026-10-03T15:30Z']);
});

test('day of month and day of week are alternatives, unless one of them begins with a star', () => {
  assert.deepEqual(times('0 0 10 * 1', '2026-01-06T00:00:00Z', 2, 'UTC'), ['2026-01-10T00:00Z', '2026-01-12T00:00Z']);
  assert.deepEqual(times('0 0 */2 * 1', '2026-01-06T00:00:00Z', 2, 'UTC'), ['2026-01-19T00:00Z', '2026-02-09T00:00Z']);
});

/** The wall clock time in the zone. */
function wallClock(timeZone: string): (time: number) => { hour: number; minute: number } {
  const format = new Intl.DateTimeFormat('en-GB', { timeZone, hour: 'numeric', minute: 'numeric', hourCycle: 'h23' });
  return (time) => {
    const [hour = 0, minute = 0] = format.format(time).split(':').map(Number);
    return { hour, minute };
  };
}

test('with a step in the minutes it matches exactly when the wall clock shows a multiple', () => {
  const zones = ['UTC', 'Europe/Berlin', 'Australia/Lord_Howe', 'America/Santiago', 'Asia/Kathmandu'];
  const minute = 60_000;
  fc.assert(
    fc.property(
      fc.constantFrom(...zones),
      fc.constantFrom(5, 7, 15, 20),
      fc.integer({ min: Date.UTC(2026, 0, 1) / minute, max: Date.UTC(2027, 0, 1) / minute }),
      (timeZone, step, from) => {
        const shown = wallClock(timeZone);
        let due = from + 1;
        while (shown(due * minute).minute % step !== 0) due += 1;
        assert.equal(scheduleOf({ cron: `*/${step} * * * *`, timeZone }).nextAfter(from * minute), due * minute);
      },
    ),
    propertyRuns(300),
  );
});

test('the error of a cron expression is one sentence: which field, and how to write it', () => {
  for (const [cron, sentence] of [
    [
      '',
      /^found "", which has 0 fields and not five; a cron expression has five fields, minute, hour, .*"0 22 \* \* 1-5"$/,
    ],
    ['22', /which has 1 field and not five/],
    ['* * * * * *', /which has 6 fields and not five/],
    ['2026-01-01T00:00:00', /which has 1 field and not five/],
    ['60 * * * *', /^found "60 \* \* \* \*", whose minute "60" is invalid, allowed are 0 to 59; /],
    ['0 24 * * *', /whose hour "24" is invalid, allowed are 0 to 23/],
    ['0 0 0 * *', /whose day of the month "0" is invalid, allowed are 1 to 31/],
    ['0 0 * 13 *', /whose month "13" is invalid/],
    ['0 0 * * MONDAY', /whose day of the week "MONDAY" is invalid/],
    ['x x * * *', /whose minute "x" is invalid/],
    ['60/5 * * * *', /whose minute "60\/5" is invalid/],
    ['@reboot', /^found "@reboot", which is not a nickname, allowed are @yearly, .*@hourly; /],
    ['0 0 30 2 *', /^found "0 0 30 2 \*", a day that never comes, so that the window never opens$/],
    ['\u001b[2J * * * *', /whose minute "\\u001b\[2J" is invalid/],
  ] as const) {
    assert.match(refusedCron(cron) ?? 'nothing', sentence, cron);
  }
});

test('expressions that a CronJob accepts are accepted', () => {
  const taken = [
    '0 22 * * 1-5',
    ' 0  22 * * 1-5 ',
    '*/15 * * * *',
    '0 0 29 2 *',
    '5/10 8-18 1,15 JAN-MAR mon',
    '@weekly',
  ];
  for (const cron of [...taken, '@Daily', '0 0 ? * SUN', '0 3 * * 0,6']) {
    assert.equal(refusedCron(cron), undefined, cron);
    assert.equal(times(cron, '2026-01-01T00:00:00Z', 1).length, 1, cron);
  }
});

test('a time zone must be known, and a misspelt one gets a suggestion', () => {
  for (const name of ['UTC', 'Europe/Berlin', 'europe/berlin', '+02:00'])
    assert.equal(refusedTimeZone(name), undefined);
  assert.equal(
    refusedTimeZone('Europe/Berln'),
    'found "Europe/Berln", which is not a known time zone; write a name such as "Europe/Berlin" or "UTC"; did you mean "Europe/Berlin"?',
  );
  for (const name of ['', 'Local', 'CEST', 'Mars/Olympus', '\0']) {
    assert.match(refusedTimeZone(name) ?? '', /which is not a known time zone/, name);
  }
});
