import { isDeepStrictEqual } from 'node:util';
import { isObject, type JsonObject } from '../../base/json.ts';
import { type KubeObject, type ObjectMeta, timestamp } from '../meta/objects.ts';
import { fieldsOf, type WriteOptions } from '../registry/assemble.ts';
import { apiVersionOf, type Resource } from '../registry/resource.ts';
import { type Manager, readManagers, writeManagers } from './managers.ts';
import { type FieldWrite, ownersAfterUpdate } from './ownership.ts';

/** A stored object, or a new one. */
interface Content {
  readonly metadata: Partial<ObjectMeta>;
  readonly [field: string]: unknown;
}

/**
 * Returns managedFields after a write other than an apply. `given` are those that the client sent: they replace the
 * object's own, an empty list resets them, and invalid ones are ignored. An object without managedFields is no longer
 * tracked.
 */
export function managedFieldsOf(
  resource: Resource,
  before: KubeObject | undefined,
  after: Content,
  given: unknown,
  now: number,
  options: WriteOptions,
): readonly JsonObject[] {
  const entries = baseFields(before, given, options);
  const managers = readManagers(entries) ?? [];
  if (!isTracked(resource, before, managers))
    return [...otherEntries(entries, options), entryOf(resource, now, options)];
  if (before !== undefined && managers.length === 0) return [];
  const write = fieldWrite(resource, now, 'Update', options);
  const old = before === undefined ? { metadata: {}, ...resource.zero } : ownable(resource, before);
  return writeManagers(ownersAfterUpdate(write, old, ownable(resource, after), managers));
}

/** Returns the managedFields that a client sent, if they are valid, or the stored ones. */
export function baseFields(
  before: KubeObject | undefined,
  given: unknown,
  { subresource }: WriteOptions,
): readonly JsonObject[] {
  const live = before?.metadata.managedFields ?? [];
  if (!Array.isArray(given) || subresource !== undefined || isDeepStrictEqual(given, live)) return live;
  const entries: readonly unknown[] = given;
  const isReset = entries.length === 0 || (entries.length === 1 && isDeepStrictEqual(entries[0], {}));
  if (isReset) return [];
  const managers = readManagers(entries);
  return managers === undefined ? live : writeManagers(managers);
}

/** Returns the manager and the ignored fields of a write. */
export function fieldWrite(
  resource: Resource,
  now: number,
  operation: Manager['operation'],
  { manager, subresource }: WriteOptions,
): FieldWrite {
  const self = { manager: manager || 'unknown', operation, apiVersion: apiVersionOf(resource), subresource };
  const ignored = subresource === 'status' ? resource.statusIgnores : resource.hasStatus ? ['f:status'] : [];
  // As on the real server, a manager of /scale has no time.
  const time = subresource === 'scale' ? undefined : timestamp(now);
  return { shape: resource.shape, ignored, self: { ...self, time, fields: new Set() } };
}

/** Returns the fields of an object that can have owners. */
export function ownable(resource: Resource, object: Content): JsonObject {
  const { generateName, labels, annotations, ownerReferences, finalizers } = object.metadata;
  const metadata = { generateName, labels, annotations, ownerReferences, finalizers };
  const given = Object.entries(metadata).filter(([, value]) => value !== undefined && Object.keys(value).length > 0);
  return { metadata: Object.fromEntries(given), ...fieldsOf(resource, { ...object, metadata: {} }) };
}

/** Returns whether fields have owners: from the creation on, or for `onceApplied` from the first apply on. */
function isTracked(resource: Resource, before: KubeObject | undefined, managers: readonly Manager[]): boolean {
  if (resource.owners === 'always') return true;
  return before !== undefined && managers.some(({ fields }) => fields.size > 0);
}

/** Returns an entry with the manager and the time, without fields. */
function entryOf(resource: Resource, now: number, { manager = 'unknown', subresource }: WriteOptions): JsonObject {
  const [apiVersion, time] = [apiVersionOf(resource), timestamp(now)];
  const fixed = { manager, operation: 'Update', apiVersion, time, fieldsType: 'FieldsV1', fieldsV1: {} };
  return subresource === undefined ? fixed : { ...fixed, subresource };
}

function otherEntries(entries: readonly JsonObject[], { manager, subresource }: WriteOptions): readonly JsonObject[] {
  return entries.filter((entry) => entry['manager'] !== manager || entry['subresource'] !== subresource);
}

/** Compares managedFields without their times. */
export function isSameOwners(a: readonly JsonObject[] = [], b: readonly JsonObject[] = []): boolean {
  const timeless = (entries: readonly JsonObject[]) =>
    entries
      .filter(isObject)
      .map(({ time: _time, ...rest }) => JSON.stringify(rest))
      .sort();
  return isDeepStrictEqual(timeless(a), timeless(b));
}
