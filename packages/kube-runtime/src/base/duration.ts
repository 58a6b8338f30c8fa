import { failed, ok, type Result } from './result.ts';

const nanoseconds: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  ['µs', 1_000n],
  ['μs', 1_000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);

const int64Limit = 1n << 63n;
const int64Max = int64Limit - 1n;

/** A number with the unit that follows it: `1.5h` of `1.5h30m`. */
const part = /^(\d*)(\.(\d*))?([^\d.]*)/;

/**
 * Parses a duration exactly like Go's `time.ParseDuration`, into milliseconds (with fractions below 1 ms). The
 * error is a clause without a subject (`found "5", …`), to follow the name of a key or flag.
 */
export function parseDuration(text: string): Result<number, string> {
  const nanos = parseNanoseconds(text);
  return nanos.ok ? ok(Number(nanos.value) / 1e6) : failed(refusal(text, nanos.error));
}

/** Formats milliseconds like Go's `Duration.String()`: `2m0s`, `1h2m0.5s`, `300ms`, `0s`. */
export function formatDuration(milliseconds: number): string {
  const nanos = BigInt(Math.round(milliseconds * 1e6));
  return nanos < 0n ? `-${formatNanoseconds(-nanos)}` : formatNanoseconds(nanos);
}

/** Formats with a precision of milliseconds. */
export function roundedDuration(milliseconds: number): string {
  return formatDuration(Math.round(milliseconds));
}

/** Formats with a precision of seconds. */
export function durationInSeconds(milliseconds: number): string {
  return formatDuration(Math.round(milliseconds / 1_000) * 1_000);
}

function parseNanoseconds(text: string): Result<bigint, string> {
  const sign = text.startsWith('-') ? -1n : 1n;
  let rest = /^[+-]/.test(text) ? text.slice(1) : text;
  if (rest === '0') return ok(0n);
  if (rest === '') return failed('which is empty');
  let total = 0n;
  while (rest !== '') {
    const matched = part.exec(rest);
    const read = readPart(matched?.[1] ?? '', matched?.[3] ?? '', matched?.[4] ?? '');
    if (!read.ok) return read;
    total += read.value;
    if (total > int64Limit) return failed(tooLong);
    rest = rest.slice(matched?.[0].length);
  }
  // The lowest int64 has no positive counterpart: Go accepts -2^63 ns and rejects 2^63 ns.
  return total > int64Max && sign > 0n ? failed(tooLong) : ok(sign * total);
}

const tooLong = 'which is longer than Go can count (about 292 years)';

function readPart(whole: string, fraction: string, unitName: string): Result<bigint, string> {
  if (whole === '' && fraction === '') return failed('which is not a number with a unit');
  if (unitName === '') return failed('which has no unit');
  const unit = nanoseconds.get(unitName);
  if (unit === undefined) return failed(`whose unit ${JSON.stringify(unitName)} is unknown`);
  const amount = BigInt(whole === '' ? '0' : whole) * unit + fractionOf(fraction, unit);
  return amount > int64Limit ? failed(tooLong) : ok(amount);
}

/** Go computes the fraction in float64 and drops the digits that do not fit into an int64, so this does, too. */
function fractionOf(digits: string, unit: bigint): bigint {
  let value = 0n;
  let scale = 1;
  for (const digit of digits) {
    const next = value * 10n + BigInt(digit);
    if (value > int64Max / 10n || next > int64Limit) break;
    value = next;
    scale *= 10;
  }
  return BigInt(Math.trunc(Number(value) * (Number(unit) / scale)));
}

function refusal(text: string, why: string): string {
  const shown = text.length > 40 ? `${text.slice(0, 40)}…` : text;
  const units = 'units are ns, us, ms, s, m, h';
  return `found ${JSON.stringify(shown)}, ${why}; a duration is written like 300ms, 1.5h or 2m30s (${units})`;
}

function formatNanoseconds(nanos: bigint): string {
  if (nanos === 0n) return '0s';
  if (nanos < 1_000n) return `${nanos}ns`;
  if (nanos < 1_000_000n) return `${decimal(nanos, 3)}µs`;
  if (nanos < 1_000_000_000n) return `${decimal(nanos, 6)}ms`;
  const minutes = nanos / 60_000_000_000n;
  const seconds = `${decimal(nanos % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return seconds;
  return minutes < 60n ? `${minutes}m${seconds}` : `${minutes / 60n}h${minutes % 60n}m${seconds}`;
}

/** `value` divided by ten to the power of `places`, without trailing zeros. */
function decimal(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, '0');
  const fraction = digits.slice(-places).replace(/(?<!0)0+$/, '');
  return fraction === '' ? digits.slice(0, -places) : `${digits.slice(0, -places)}.${fraction}`;
}
