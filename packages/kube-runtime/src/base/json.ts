import { ExactInteger } from './exactInteger.ts';

/**
 * Reads JSON that has not been validated: each function returns the value if it has the expected type, and otherwise
 * undefined or an empty value. For objects that arrive by the thousand per second, where a schema would be too
 * expensive; configs and recordings are validated with schemas.
 */
export type JsonObject = Readonly<Record<string, unknown>>;

const none: JsonObject = Object.freeze({});

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactInteger);
}

/** The object; an empty one for any other value. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : none;
}

/** The array; an empty one for any other value. */
export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The string, or undefined. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The number, or undefined. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/**
 * Parses an RFC 3339 time into epoch milliseconds; undefined if it is invalid. Years have four digits: JavaScript also
 * parses longer ones, which RFC 3339 cannot express.
 */
export function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' && value[4] === '-' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
