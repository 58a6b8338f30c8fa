import type { Path } from '../../base/fieldError.ts';
import { isObject, type JsonObject, objectOf } from '../../base/json.ts';
import { type Identity, identityKey } from '../model/identity.ts';
import { type FieldMask, observesAnything } from './fieldMask.ts';
import { createPartReader, type ReadFields } from './readFields.ts';
import { createErrorList, type ErrorList, type SchemaError, type SchemaErrorCode, truncated } from './schemaErrors.ts';

/** An observer schema as far as it can be used, and everything that is wrong with the rest. */
export interface ObserverSchema {
  /** Entries without errors, by `identityKey`; the namespace is empty where the entry names none. */
  readonly entries: ReadonlyMap<string, SchemaEntry>;
  /** Entries with errors. Whose they are, the others and their resources do not suffer. */
  readonly invalid: readonly InvalidEntry[];
  /** Every error, in the order of the schema. */
  readonly errors: readonly SchemaError[];
}

export interface SchemaEntry {
  /** Its place in the schema, from 0. */
  readonly index: number;
  readonly identity: Identity;
  readonly mask: FieldMask;
}

/** As much of its identity as can be read: any resource that has it may be the one that is meant. */
export interface InvalidEntry {
  readonly identity: Partial<Identity>;
  readonly errors: readonly SchemaError[];
}

/**
 * Reads `spec.observerSchema`: Krake's format, where the word `observed` is as good as null. The value is what
 * YAML or JSON gives, and may be anything, also contain itself; `undefined` and null are a schema without entries.
 */
export function readObserverSchema(value: unknown): ObserverSchema {
  const read = readEntries(value);
  const twins = twinsAmong(read);
  const entries = new Map<string, SchemaEntry>();
  const invalid: InvalidEntry[] = [];
  for (const [index, { identity, mask, errors }] of read.entries()) {
    const twin = twins.get(index);
    if (twin !== undefined) errors.add('duplicate', [index], `is about the same resource as entry ${twin}`);
    if (errors.found.length > 0) invalid.push({ identity, errors: errors.found });
    else if (isWhole(identity)) entries.set(identityKey(identity), { index, identity, mask });
  }
  return { entries, invalid, errors: truncated(invalid.flatMap((each) => each.errors)) };
}

interface ReadEntry {
  readonly identity: Partial<Identity>;
  readonly mask: FieldMask;
  readonly errors: ErrorList;
}

/** The API server takes fewer manifests than that. */
const mostEntries = 2_000;

function readEntries(value: unknown): readonly ReadEntry[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return [unreadable('notAList', [], 'is not a list')];
  if (value.length > mostEntries) return [unreadable('tooLarge', [], `has more than ${mostEntries} entries`)];
  const readFields = createPartReader();
  return value.map((entry, index) => readEntry(entry, [index], readFields));
}

function unreadable(code: SchemaErrorCode, path: Path, message: string): ReadEntry {
  const errors = createErrorList();
  errors.add(code, path, message);
  return { identity: {}, mask: { is: 'map', fields: new Map() }, errors };
}

function readEntry(entry: unknown, path: Path, readFields: ReadFields): ReadEntry {
  if (!isObject(entry)) return unreadable('notAnObject', path, 'is not a partial resource');
  const errors = createErrorList();
  const identity = readIdentity(entry, path, errors);
  const content = observedOf(entry, path, errors);
  const mask = readFields(content, path, errors);
  // An entry that only names its resource observes that it is there. One that lists something means more than that.
  if (errors.found.length === 0 && Object.keys(content).length > 0 && !observesAnything(mask))
    errors.add('nullsLost', path, 'lists no field, so that no field of the resource would be observed');
  return { identity, mask, errors };
}

/** Entries about the same resource, each with the position of another one: it is ambiguous which one is meant. */
function twinsAmong(read: readonly ReadEntry[]): ReadonlyMap<number, number> {
  const first = new Map<string, number>();
  const twins = new Map<number, number>();
  for (const [index, { identity }] of read.entries()) {
    if (!isWhole(identity)) continue;
    const key = identityKey(identity);
    const other = first.get(key);
    if (other === undefined) first.set(key, index);
    else twins.set(index, other).set(other, twins.get(other) ?? index);
  }
  return twins;
}

function readIdentity(entry: JsonObject, path: Path, errors: ErrorList): Partial<Identity> {
  const { apiVersion, kind, metadata } = entry;
  const { name, namespace } = objectOf(metadata);
  const group = readGroup(apiVersion);
  if (group === undefined) errors.add('apiVersion', [...path, 'apiVersion'], said(apiVersion, 'an apiVersion'));
  if (!isName(kind)) errors.add('kind', [...path, 'kind'], said(kind, 'a kind'));
  if (!isName(name)) errors.add('name', [...path, 'metadata', 'name'], said(name, 'a name'));
  const isOpen = namespace === undefined || namespace === null;
  if (!isOpen && !isName(namespace))
    errors.add('namespace', [...path, 'metadata', 'namespace'], said(namespace, 'a namespace'));
  return {
    ...(group === undefined ? {} : { group }),
    ...(isName(kind) ? { kind } : {}),
    ...(isName(name) ? { name } : {}),
    ...(isOpen ? { namespace: '' } : isName(namespace) ? { namespace } : {}),
  };
}

/** Undefined: it is no apiVersion. */
function readGroup(apiVersion: unknown): string | undefined {
  if (!isName(apiVersion)) return undefined;
  const [group = '', version, ...more] = apiVersion.split('/');
  if (version === undefined) return '';
  return group !== '' && version !== '' && more.length === 0 ? group : undefined;
}

/** The entry without what identifies its resource, and without what cannot be observed. */
function observedOf(entry: JsonObject, path: Path, errors: ErrorList): JsonObject {
  const { apiVersion: _, kind: __, status, metadata, ...content } = entry;
  // What is applied of a Secret has it in data: listed here it would be desired to be absent.
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

function said(value: unknown, what: string): string {
  return value === undefined || value === null ? 'is missing' : `is not ${what}`;
}

function isWhole(identity: Partial<Identity>): identity is Identity {
  const { group, kind, namespace, name } = identity;
  return group !== undefined && kind !== undefined && namespace !== undefined && name !== undefined;
}
