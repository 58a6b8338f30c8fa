import { Cron } from 'croner';
import { quoted } from '../../base/fieldError.ts';
import { nearest } from '../../base/nearest.ts';

/** The times of a cron expression in a time zone. */
export interface Schedule {
  /** The first time after `time`, both in epoch milliseconds; undefined if there is none. */
  nextAfter(time: number): number | undefined;
}

/**
 * Parses a cron expression like a CronJob: five fields or a nickname; if both the day of the month and the day of the
 * week are restricted, either has to match. On the night without a 2:30, `30 2 * * *` matches when the clock is set
 * forward; on the night with two, it matches the first; a field with `*` or a step follows the wall clock. Throws if
 * `refusedCron` or `refusedTimeZone` returns an error.
 */
export function scheduleOf({ cron, timeZone }: { readonly cron: string; readonly timeZone: string }): Schedule {
  const given = fieldsOf(cron);
  const [, , dayOfMonth = '*', , dayOfWeek = '*'] = given;
  const times = new Cron(given.map(withUpperEnd).join(' '), {
    timezone: timeZone,
    mode: '5-part',
    paused: true,
    fixedTimeRule: 'no-wildcard',
    domAndDow: [dayOfMonth, dayOfWeek].some((field) => /^[*?]/.test(field)),
  });
  return { nextAfter: (time) => times.nextRun(new Date(time))?.getTime() };
}

/** The error of a cron expression, as a clause without a subject (`found "x", …`); undefined if it is valid. */
export function refusedCron(text: string): string | undefined {
  const trimmed = text.trim();
  if (nicknames.includes(trimmed.toLowerCase())) return undefined;
  if (trimmed.startsWith('@'))
    return `found ${quoted(text)}, which is not a nickname, allowed are ${nicknames.join(', ')}${hint}`;
  const given = fieldsOf(text);
  if (given.length !== fields.length) {
    const count = given.length === 1 ? '1 field' : `${given.length} fields`;
    return `found ${quoted(text)}, which has ${count} and not five${hint}`;
  }
  if (hasOccurrence(text)) return undefined;
  const wrong = fields.findIndex(
    (_, at) => !hasOccurrence(fields.map((_, each) => (each === at ? given[at] : '*')).join(' ')),
  );
  const field = fields[wrong];
  if (field !== undefined) {
    return `found ${quoted(text)}, whose ${field.name} ${quoted(given[wrong] ?? '')} is invalid, allowed are ${field.range}${hint}`;
  }
  return `found ${quoted(text)}, a day that never comes, so that the window never opens`;
}

/** The error of a time zone name; undefined if it is valid. */
export function refusedTimeZone(text: string): string | undefined {
  if (isTimeZone(text)) return undefined;
  const meant = nearest(text, Intl.supportedValuesOf('timeZone'));
  const hint = meant === undefined ? '' : `; did you mean ${quoted(meant)}?`;
  return `found ${quoted(text)}, which is not a known time zone; write a name such as "Europe/Berlin" or "UTC"${hint}`;
}

const fields = [
  { name: 'minute', last: 59, range: '0 to 59' },
  { name: 'hour', last: 23, range: '0 to 23' },
  { name: 'day of the month', last: 31, range: '1 to 31' },
  { name: 'month', last: 12, range: '1 to 12 or JAN to DEC' },
  { name: 'day of the week', last: 6, range: '0 (Sunday) to 6 or SUN to SAT' },
];
const nicknames = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];
const hint =
  '; a cron expression has five fields, minute, hour, day of the month, month, day of the week: "0 22 * * 1-5"';

function fieldsOf(cron: string): readonly string[] {
  return cron.split(/\s+/).filter((field) => field !== '');
}

/** `5/10` means every tenth value from 5 on. */
function withUpperEnd(field: string, at: number): string {
  return field.replace(/(?<![^,])(\d+)\//g, `$1-${fields[at]?.last}/`);
}

function hasOccurrence(cron: string): boolean {
  try {
    return scheduleOf({ cron, timeZone: 'UTC' }).nextAfter(0) !== undefined;
  } catch {
    return false;
  }
}

function isTimeZone(name: string): boolean {
  try {
    return name !== '' && new Intl.DateTimeFormat('en', { timeZone: name }) !== undefined;
  } catch {
    return false;
  }
}
