import { isObject } from '@weeder/kube-runtime/base';
import fc from 'fast-check';

/** An object with a key that an assignment would take for the prototype. */
function withKey(key: string): unknown {
  return JSON.parse(`{${JSON.stringify(key)}:{"polluted":true}}`);
}

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let level = 0; level < depth; level += 1) value = level % 2 === 0 ? [value] : { a: value };
  return value;
}

/** Values that occur in no valid object, and that might be misread. */
const oddValues: readonly unknown[] = [
  ...[null, true, false, 0, -1, 1.5, 2 ** 31, 2 ** 53, 1e308, -1e308, -0],
  ...['', ' ', 'true', 'False', 'null', '0', '-1', '\ud800', '\u0000', '\u2028', '../..', 'a/b', '*', '9'.repeat(400)],
  ...['2026-13-45T00:00:00Z', '9999-12-31T23:59:59Z', '+275760-09-13T00:00:00.000Z', '-000001-01-01T00:00:00Z', '1'],
  ...['CrashLoopBackOff', 'terminated', 'Running', 'Succeeded', '__proto__', 'constructor', 'toString'],
  ...[[], {}, [null], [[]], [0], { a: 1 }, withKey('__proto__'), withKey('constructor'), nested(300)],
];
export const oddValue: fc.Arbitrary<unknown> = fc.constantFrom(...oddValues);

/** One change of a value at any of its places. */
export interface ValueEdit {
  /** The number of the place, counted from the top; it wraps around. */
  readonly place: number;
  readonly what: 'replace' | 'remove' | 'rename' | 'wrap' | 'copy';
  readonly value: unknown;
}

export const valueEdit: fc.Arbitrary<ValueEdit> = fc.record({
  place: fc.nat(10_000),
  what: fc.constantFrom('replace', 'replace', 'replace', 'remove', 'rename', 'wrap', 'copy'),
  value: oddValue,
});

/** Returns a copy of the value with the edits applied in order. */
export function edited(value: unknown, edits: readonly ValueEdit[]): unknown {
  return edits.reduce((now: unknown, edit) => {
    const count = placesOf(now);
    return editAt(now, { at: edit.place % count }, edit);
  }, value);
}

function placesOf(value: unknown): number {
  const inner = Array.isArray(value) ? value : isObject(value) ? Object.values(value) : [];
  return inner.reduce<number>((sum, each) => sum + placesOf(each), 1);
}

/** `left.at` counts down the places before the one to edit. */
function editAt(value: unknown, left: { at: number }, edit: ValueEdit): unknown {
  if (left.at === 0) {
    left.at = -1;
    return edit.what === 'wrap' ? [value] : edit.value;
  }
  left.at -= 1;
  const isChosen = () => left.at === 0;
  if (Array.isArray(value)) return value.flatMap((each) => editItem(each, isChosen(), left, edit));
  if (!isObject(value)) return value;
  const entries = Object.entries(value).flatMap(([key, each]) => editEntry(key, each, isChosen(), left, edit));
  return Object.fromEntries(entries);
}

function editItem(item: unknown, isChosen: boolean, left: { at: number }, edit: ValueEdit): unknown[] {
  if (isChosen && edit.what === 'remove') return done(left, []);
  if (isChosen && edit.what === 'copy') return done(left, [item, item]);
  return [editAt(item, left, edit)];
}

function editEntry(
  key: string,
  value: unknown,
  isChosen: boolean,
  left: { at: number },
  edit: ValueEdit,
): [string, unknown][] {
  if (isChosen && edit.what === 'remove') return done(left, []);
  if (isChosen && edit.what === 'rename') return done(left, [[nameFrom(edit.value), value]]);
  return [[key, editAt(value, left, edit)]];
}

/** A key `[object Object]` would look like a value that was converted to a string by mistake. */
export function nameFrom(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function done<T>(left: { at: number }, result: T): T {
  left.at = -1;
  return result;
}

/** One change of bytes: `length` of them are removed, and others inserted. */
export interface ByteEdit {
  readonly at: number;
  readonly length: number;
  readonly insert: Buffer;
}

/** Pieces of JSON, broken UTF-8, unpaired surrogates, and invalid numbers. */
const fragments: readonly (string | Uint8Array)[] = [
  ...['', '"', '\\', '{', '}', '[', ']', ',', ':', '\n', '\r\n', '\0', ' ', 'null', 'true', '-', '0', '1e999', 'NaN'],
  ...['\\ud800', '\\u0000', '\\"', '{"a":', '[[[[[[[[', '"uid":"other",', '"__proto__":{"a":1},', '"metadata":{},'],
  ...['"kind":"Status",', '"resourceVersion":"1",', '}}\n{"type":"DELETED","object":{', '\u2028', '\ufeff'],
  ...[Buffer.from([0xff]), Buffer.from([0xc3, 0x28]), Buffer.from([0xed, 0xa0, 0x80]), Buffer.from([0xf0, 0x9f])],
];

export const byteEdit: fc.Arbitrary<ByteEdit> = fc.record({
  at: fc.nat(1_000_000),
  length: fc.oneof(fc.constant(0), fc.nat(3), fc.nat(200)),
  insert: fc.oneof(fc.constantFrom(...fragments), fc.uint8Array({ maxLength: 4 })).map((each) => Buffer.from(each)),
});

/** Returns the bytes after the edits. */
export function editedBytes(bytes: Uint8Array, edits: readonly ByteEdit[]): Buffer {
  return edits.reduce((now, { at, length, insert }) => {
    const start = at % (now.length + 1);
    return Buffer.concat([now.subarray(0, start), insert, now.subarray(start + length)]);
  }, Buffer.from(bytes));
}
