import { isObject, type JsonObject, objectOf, textOf } from '../../base/json.ts';
import { failed, ok } from '../../base/result.ts';
import { conflictStatus } from '../managedfields/conflicts.ts';
import { fieldWrite, ownable } from '../managedfields/managedFields.ts';
import { type Manager, readManagers, writeManagers } from '../managedfields/managers.ts';
import { apply as applyFields, ownersAfterUpdate } from '../managedfields/ownership.ts';
import { typeErrors } from '../managedfields/typeErrors.ts';
import { decode } from '../meta/decode.ts';
import type { KubeObject } from '../meta/objects.ts';
import { badRequest, conflict, failure, type Outcome, type Status } from '../meta/status.ts';
import type { Storage } from '../storage/storage.ts';
import type { WriteOptions } from './assemble.ts';
import { create } from './create.ts';
import { apiVersionOf, type Resource } from './resource.ts';
import { change, type Updated } from './update.ts';

export interface ApplyOptions extends WriteOptions {
  readonly manager: string;
  /** Whether it takes fields over from their owners. */
  readonly isForced?: boolean;
}

/**
 * Server-side apply: creates the object, or merges the configuration into it. Fails with 400, 404, 409 (conflicts,
 * another version, an absent object with a uid), 422, and 500 for a configuration of the wrong types.
 */
export function apply(
  storage: Storage,
  resource: Resource,
  namespace: string,
  name: string,
  body: unknown,
  options: ApplyOptions,
): Outcome<Updated> {
  if (!isObject(body)) return failed(notAnObject(body));
  const refused = bodyError(resource, body);
  if (refused !== undefined) return failed(refused);
  const current = storage.collectionOf(resource).get(namespace, name);
  const { apiVersion: _apiVersion, kind: _kind, metadata: given, ...fields } = body;
  const metadata = objectOf(given);
  const owned = ownedMetadata(metadata);
  const config = { ...(Object.keys(owned).length === 0 ? {} : { metadata: owned }), ...fields };
  const write = fieldWrite(resource, storage.clock.now(), 'Apply', options);
  if (current === undefined) {
    const absent = absenceError(resource, name, metadata);
    if (absent !== undefined) return failed(absent);
    const empty = { metadata: {}, ...resource.zero };
    const result = applyFields(write, empty, config, [], true);
    return result.ok
      ? createBy(storage, resource, namespace, body, result.value.managers, options)
      : failed(noConflict);
  }
  const live = ownable(resource, current);
  const managers = knownManagers(storage, resource, current, live);
  const applied = applyFields(write, live, config, managers, options.isForced === true);
  if (!applied.ok) return failed(conflictStatus(applied.error));
  const value = objectOf(applied.value.value);
  const { resourceVersion, uid, name: givenName, namespace: givenNamespace } = metadata;
  const identity = { resourceVersion, uid, name: givenName, namespace: givenNamespace };
  const draft = decoded(resource, { ...value, metadata: { ...objectOf(value['metadata']), ...identity } });
  if (!draft.ok) return draft;
  const managedFields = writeManagers(applied.value.managers);
  return change(storage, resource, namespace, name, () => draft, { ...options, managedFields });
}

/** For an absent object a resourceVersion is ignored; a uid is not. */
function absenceError(resource: Resource, name: string, { name: given, uid }: JsonObject): Status | undefined {
  if (!given) {
    return badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`);
  }
  if (given !== name) {
    return badRequest(`the name of the object (${String(given)}) does not match the name on the URL (${name})`);
  }
  if (!uid) return undefined;
  const why = `uid mismatch: the provided object specified uid ${String(uid)}, and no existing object was found`;
  return conflict(resource, name, why);
}

function createBy(
  storage: Storage,
  resource: Resource,
  namespace: string,
  body: JsonObject,
  managers: readonly Manager[],
  options: ApplyOptions,
): Outcome<Updated> {
  const { resourceVersion: _version, ...metadata } = objectOf(body['metadata']);
  const draft = decoded(resource, { ...body, metadata });
  if (!draft.ok) return draft;
  const created = create(storage, resource, namespace, draft.value, {
    ...options,
    managedFields: writeManagers(managers),
  });
  return created.ok ? ok({ object: created.value, isNew: true }) : created;
}

function decoded(resource: Resource, body: JsonObject) {
  const { kind: _kind, apiVersion: _apiVersion, metadata, ...fields } = body;
  return decode(resource, { ...resource.canonical(fields), metadata });
}

/** Returns the managers of an object; before the first apply, `before-first-apply` owns all fields. */
function knownManagers(
  storage: Storage,
  resource: Resource,
  { metadata }: KubeObject,
  live: JsonObject,
): readonly Manager[] {
  const managers = (readManagers(metadata.managedFields ?? []) ?? []).filter(({ fields }) => fields.size > 0);
  if (managers.length > 0) return managers;
  const write = fieldWrite(resource, storage.clock.now(), 'Update', { manager: 'before-first-apply' });
  return ownersAfterUpdate({ ...write, ignored: [] }, { metadata: {}, ...resource.zero }, live, []);
}

/** Returns the fields of the metadata that can have owners. */
function ownedMetadata(metadata: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(metadata).filter(([key]) => !systemFields.has(key)));
}

const systemFields = new Set([
  'name',
  'namespace',
  'creationTimestamp',
  'selfLink',
  'uid',
  'generation',
  'managedFields',
  'resourceVersion',
]);

function bodyError(resource: Resource, body: JsonObject): Status | undefined {
  const { apiVersion = '', kind = '', metadata } = body;
  const { managedFields, namespace = '', name = '' } = objectOf(metadata);
  const slash = String(apiVersion).includes('/') ? '' : '/';
  const type = `${slash}${apiVersion === '' ? '' : String(apiVersion)}, Kind=${String(kind)}`;
  if (kind !== resource.kind || apiVersion !== apiVersionOf(resource))
    return badRequest(`invalid object type: ${type}`);
  if (managedFields !== undefined && managedFields !== null) return badRequest('metadata.managedFields must be nil');
  const { apiVersion: _apiVersion, kind: _kind, ...rest } = body;
  const errors = typeErrors(resource.shape, rest);
  if (errors.length === 0) return undefined;
  const about = `${textOf(namespace) ?? ''}/${textOf(name) ?? ''}; ${type}`;
  const list = errors.length === 1 ? errors[0] : `errors:${errors.map((each) => `\n  ${each}`).join('')}`;
  return failure(500, undefined, `failed to create typed patch object (${about}): ${list}`);
}

function notAnObject(body: unknown): Status {
  const jsonType = Array.isArray(body) ? 'array' : typeof body === 'boolean' ? 'bool' : typeof body;
  return badRequest(
    `error decoding YAML: error unmarshaling JSON: while decoding JSON: json: cannot unmarshal ${jsonType} into Go value of type map[string]interface {}`,
  );
}

const noConflict = failure(500, 'InternalError', 'a new object has no other owners');
