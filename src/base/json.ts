import { ExactInteger } from './exactInteger.ts';

/**
 * Reading JSON whose shape nobody has checked yet: each function gives what is there when it has the wanted type,
 * and nothing otherwise. For objects that arrive by the thousand a second, where a schema would cost more than it
 * gives; configs and recordings are read by schemas.
 */
export type JsonObject = Readonly<Record<string, unknown>>;

const none: JsonObject = Object.freeze({});

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof ExactInteger);
}

/** The object, or an empty one. */
export function objectOf(value: unknown): JsonObject {
  return isObject(value) ? value : none;
}

/** The array, or an empty one. */
export function arrayOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The text, or undefined. */
export function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

/** The number, or undefined. */
export function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}

/**
 * An RFC 3339 time as epoch milliseconds, or undefined. Years have four digits: JavaScript also reads longer ones, and
 * a moment after the last of them is none that it can write.
 */
export function timeOf(value: unknown): number | undefined {
  const time = typeof value === 'string' && value[4] === '-' ? Date.parse(value) : Number.NaN;
  return Number.isNaN(time) ? undefined : time;
}
