import { truncate } from '@weeder/kube-runtime/base';
import { stdSerializers } from 'pino';

type Fields = Record<string, unknown>;

/** Bytes of a text, which may be one of others, and of the stack of an error. */
const longestText = 1024;
const longestStack = 8192;
/** UTF-8 has at most three bytes for each unit of the length. */
const surelyShort = Math.floor(longestText / 3);
export const mostEntries = 100;
const deepest = 8;

/**
 * The fields of a log line with texts of at most 1 KB, whose length is said, lists and mappings of at most 100 entries,
 * and eight levels. The fields of almost every line are short, and stay as they are.
 */
export function boundedFields(fields: Fields): Fields {
  return isShort(fields, deepest) ? fields : boundedMapping(fields, deepest);
}

function isShort(value: unknown, depth: number): boolean {
  if (typeof value === 'string') return value.length <= surelyShort;
  if (typeof value !== 'object' || value === null) return true;
  if (depth === 0 || value instanceof Error) return false;
  if (Array.isArray(value)) return value.length <= mostEntries && value.every((each) => isShort(each, depth - 1));
  if (!isMapping(value)) return true;
  let entries = 0;
  for (const key in value) {
    entries += 1;
    if (entries > mostEntries || key.length > surelyShort || !isShort(value[key], depth - 1)) return false;
  }
  return true;
}

function bounded(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return boundedText(value);
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0) return '…';
  if (value instanceof Error) return boundedError(value, depth);
  if (Array.isArray(value)) return boundedList(value, depth);
  return isMapping(value) ? boundedMapping(value, depth) : value;
}

/** Other objects say themselves how they are written, such as a date. */
function isMapping(value: object): value is Fields {
  return !('toJSON' in value);
}

/** A longer text is cut, and its length said. Bytes of UTF-8. */
export function boundedText(text: string, longest: number = longestText): string {
  const bytes = Buffer.byteLength(text);
  return bytes <= longest ? text : `${truncate(text, longest)} (${bytes} bytes)`;
}

/** The first line of a stack is the message: cut like other texts, so that it does not displace the others. */
function boundedError(error: Error, depth: number): unknown {
  const { message, stack = '', ...rest } = stdSerializers.err(error);
  const lines = stack.split('\n').map((line) => boundedText(line));
  const shown = { message: boundedText(message), stack: boundedText(lines.join('\n'), longestStack) };
  return { ...boundedMapping(rest, depth), ...shown };
}

function boundedList(list: readonly unknown[], depth: number): readonly unknown[] {
  const kept = list.slice(0, mostEntries).map((each) => bounded(each, depth - 1));
  return list.length > mostEntries ? [...kept, `… (${list.length} entries)`] : kept;
}

function boundedMapping(fields: Fields, depth: number): Fields {
  const entries = Object.entries(fields);
  const kept = entries
    .slice(0, mostEntries)
    .map(([key, value]) => [boundedText(key), bounded(value, depth - 1)] as const);
  return Object.fromEntries(entries.length > mostEntries ? [...kept, ['…', `${entries.length} entries`]] : kept);
}
