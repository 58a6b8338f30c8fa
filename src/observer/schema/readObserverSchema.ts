import { isObject, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import type { Path } from '../../base/fieldError.ts';
import { type Identity, identityKey } from '../objects/identity.ts';
import { type FieldMask, observesAnything } from './fieldMask.ts';
import { createFieldReader, type ReadFields } from './readFields.ts';
import { createErrorList, type ErrorList, type SchemaError, type SchemaErrorCode, truncated } from './schemaErrors.ts';

/** The usable entries of an observer schema, and the errors of the others. */
export interface ObserverSchema {
  /** Entries without errors, by `identityKey`; the namespace is empty if the entry has none. */
  readonly entries: ReadonlyMap<string, SchemaEntry>;
  /** Entries with errors. They do not affect other entries and the resources of those. */
  readonly invalid: readonly InvalidEntry[];
  /** All errors, in the order of the schema. */
  readonly errors: readonly SchemaError[];
}

export interface SchemaEntry {
  /** Its index in the schema. */
  readonly index: number;
  readonly identity: Identity;
  readonly mask: FieldMask;
}

/** The part of its identity that can be read: every resource that matches it may be the intended one. */
export interface InvalidEntry {
  readonly identity: Partial<Identity>;
  readonly errors: readonly SchemaError[];
}

/**
 * Reads `spec.observerSchema` in Krake's format, where `observed` may also be used in place of null. The value is
 * parsed from YAML or JSON and may be anything, including a cyclic structure. Undefined and null are a schema without
 * entries.
 */
export function readObserverSchema(value: unknown): ObserverSchema {
  const read = readEntries(value);
  const duplicates = duplicatesAmong(read);
  const entries = new Map<string, SchemaEntry>();
  const invalid: InvalidEntry[] = [];
  for (const [index, { identity, mask, errors }] of read.entries()) {
    const other = duplicates.get(index);
    if (other !== undefined) errors.add('duplicate', [index], `is about the same resource as entry ${other}`);
    if (errors.found.length > 0) invalid.push({ identity, errors: errors.found });
    else if (isComplete(identity)) entries.set(identityKey(identity), { index, identity, mask });
  }
  return { entries, invalid, errors: truncated(invalid.flatMap((each) => each.errors)) };
}

interface ReadEntry {
  readonly identity: Partial<Identity>;
  readonly mask: FieldMask;
  readonly errors: ErrorList;
}

/** The API server accepts fewer manifests than this in one Application. */
const maxEntries = 2_000;

function readEntries(value: unknown): readonly ReadEntry[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return [unreadable('notAList', [], 'is not a list')];
  if (value.length > maxEntries) return [unreadable('tooLarge', [], `has more than ${maxEntries} entries`)];
  const readFields = createFieldReader();
  return value.map((entry, index) => readEntry(entry, [index], readFields));
}

function unreadable(code: SchemaErrorCode, path: Path, message: string): ReadEntry {
  const errors = createErrorList();
  errors.add(code, path, message);
  return { identity: {}, mask: { type: 'map', fields: new Map() }, errors };
}

function readEntry(entry: unknown, path: Path, readFields: ReadFields): ReadEntry {
  if (!isObject(entry)) return unreadable('notAnObject', path, 'is not a partial resource');
  const errors = createErrorList();
  const identity = readIdentity(entry, path, errors);
  const content = observedOf(entry, path, errors);
  const mask = readFields(content, path, errors);
  // An entry that only identifies its resource observes its existence. An entry with content must observe a field.
  if (errors.found.length === 0 && Object.keys(content).length > 0 && !observesAnything(mask))
    errors.add('nullsLost', path, 'lists no field, so that no field of the resource would be observed');
  return { identity, mask, errors };
}

/**
 * Returns the entries about the same resource, each with the index of another one: it is ambiguous which one applies.
 */
function duplicatesAmong(read: readonly ReadEntry[]): ReadonlyMap<number, number> {
  const first = new Map<string, number>();
  const duplicates = new Map<number, number>();
  for (const [index, { identity }] of read.entries()) {
    if (!isComplete(identity)) continue;
    const key = identityKey(identity);
    const other = first.get(key);
    if (other === undefined) first.set(key, index);
    else duplicates.set(index, other).set(other, duplicates.get(other) ?? index);
  }
  return duplicates;
}

function readIdentity(entry: JsonObject, path: Path, errors: ErrorList): Partial<Identity> {
  const { apiVersion, kind, metadata } = entry;
  const { name, namespace } = objectOf(metadata);
  const group = readGroup(apiVersion);
  if (group === undefined)
    errors.add('apiVersion', [...path, 'apiVersion'], invalidMessage(apiVersion, 'an apiVersion'));
  if (!isName(kind)) errors.add('kind', [...path, 'kind'], invalidMessage(kind, 'a kind'));
  if (!isName(name)) errors.add('name', [...path, 'metadata', 'name'], invalidMessage(name, 'a name'));
  const isOpen = namespace === undefined || namespace === null;
  if (!isOpen && !isName(namespace))
    errors.add('namespace', [...path, 'metadata', 'namespace'], invalidMessage(namespace, 'a namespace'));
  return {
    ...(group === undefined ? {} : { group }),
    ...(isName(kind) ? { kind } : {}),
    ...(isName(name) ? { name } : {}),
    ...(isOpen ? { namespace: '' } : isName(namespace) ? { namespace } : {}),
  };
}

/** Returns undefined if the value is not an apiVersion. */
function readGroup(apiVersion: unknown): string | undefined {
  if (!isName(apiVersion)) return undefined;
  const [group = '', version, ...more] = apiVersion.split('/');
  if (version === undefined) return '';
  return group !== '' && version !== '' && more.length === 0 ? group : undefined;
}

/** Returns the entry without the fields that identify its resource and without those that cannot be observed. */
function observedOf(entry: JsonObject, path: Path, errors: ErrorList): JsonObject {
  const { apiVersion: _, kind: __, status, metadata, ...content } = entry;
  // weeder applies `stringData` as `data`, so a listed `stringData` would be desired to be absent.
  if (entry['kind'] === 'Secret' && readGroup(entry['apiVersion']) === '' && 'stringData' in content)
    errors.add('stringData', [...path, 'stringData'], 'is listed');
  if (status !== undefined) errors.add('status', [...path, 'status'], 'is listed');
  if (metadata !== undefined && !isObject(metadata)) errors.add('name', [...path, 'metadata'], 'is not a map');
  const { name: ___, namespace: ____, ...rest } = objectOf(metadata);
  return Object.keys(rest).length > 0 ? { metadata: rest, ...content } : content;
}

function isName(value: unknown): value is string {
  return typeof value === 'string' && value !== '';
}

function invalidMessage(value: unknown, what: string): string {
  return value === undefined || value === null ? 'is missing' : `is not ${what}`;
}

function isComplete(identity: Partial<Identity>): identity is Identity {
  const { group, kind, namespace, name } = identity;
  return group !== undefined && kind !== undefined && namespace !== undefined && name !== undefined;
}
