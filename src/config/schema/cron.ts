import { Cron } from 'croner';
import { quoted } from '../../base/fieldError.ts';
import { nearest } from '../../base/nearest.ts';

/** The moments that a cron expression names in a time zone. */
export interface Schedule {
  /** The first of them that comes after `time`, both in epoch milliseconds; undefined: there is none. */
  nextAfter(time: number): number | undefined;
}

/**
 * Reads a cron expression as a CronJob does: five fields or a nickname, and where both the day of the month and the day
 * of the week are restricted, either will do. In the night that has no 2:30, `30 2 * * *` names the moment at which the
 * clock is put forward; in the night that has it twice, the first; a field with `*` or a step names what the clock shows.
 * Throws where `refusedCron` or `refusedTimeZone` has something to say.
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

/** What is wrong with a cron expression, as a clause without a subject (`found "x", …`); undefined: nothing is. */
export function refusedCron(text: string): string | undefined {
  const trimmed = text.trim();
  if (nicknames.includes(trimmed.toLowerCase())) return undefined;
  if (trimmed.startsWith('@'))
    return `found ${quoted(text)}, which is no nickname: those are ${nicknames.join(', ')}${hint}`;
  const given = fieldsOf(text);
  if (given.length !== fields.length) {
    const count = given.length === 1 ? '1 field' : `${given.length} fields`;
    return `found ${quoted(text)}, which has ${count} and not five${hint}`;
  }
  if (everComes(text)) return undefined;
  const wrong = fields.findIndex(
    (_, at) => !everComes(fields.map((_, each) => (each === at ? given[at] : '*')).join(' ')),
  );
  const field = fields[wrong];
  if (field !== undefined) {
    return `found ${quoted(text)}, whose ${field.name} ${quoted(given[wrong] ?? '')} cannot be read: it is ${field.range}${hint}`;
  }
  return `found ${quoted(text)}, a day that never comes, so that the window never opens`;
}

/** What is wrong with the name of a time zone; undefined: nothing is. */
export function refusedTimeZone(text: string): string | undefined {
  if (isTimeZone(text)) return undefined;
  const meant = nearest(text, Intl.supportedValuesOf('timeZone'));
  const hint = meant === undefined ? '' : `; did you mean ${quoted(meant)}?`;
  return `found ${quoted(text)}, which is no time zone that is known here: write a name such as "Europe/Berlin" or "UTC"${hint}`;
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

/** `5/10` is short for every tenth from 5 on. */
function withUpperEnd(field: string, at: number): string {
  return field.replace(/(?<![^,])(\d+)\//g, `$1-${fields[at]?.last}/`);
}

function everComes(cron: string): boolean {
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
