import { randomUUID } from 'node:crypto';
import { failed, ok } from '../../base/result.ts';
import { managedFieldsOf } from '../managedfields/managedFields.ts';
import { type Draft, type KubeObject, type ObjectMeta, timestamp } from '../meta/objects.ts';
import {
  alreadyExists,
  badRequest,
  failure,
  fieldError,
  forbidden,
  invalid,
  notFound,
  type Outcome,
  type Status,
} from '../meta/status.ts';
import type { Storage } from '../storage/storage.ts';
import { namespaces } from '../strategies/resources.ts';
import { assemble, fieldsOf, metadataErrors, type WriteOptions } from './assemble.ts';
import type { Resource } from './resource.ts';

/** Creates an object. Fails with 400, 403 or 404 (the namespace is terminating or does not exist), 409, 422. */
export function create(
  storage: Storage,
  resource: Resource,
  namespace: string,
  draft: Draft,
  options: WriteOptions = {},
): Outcome<KubeObject> {
  const { metadata } = draft;
  const name = metadata.name || freeName(storage, resource, namespace, metadata.generateName ?? '');
  const refused = scopeError(storage, resource, namespace, metadata.namespace, name) ?? versionError(metadata);
  if (refused !== undefined) return failed(refused);
  if (name === '') {
    const missing = fieldError.required('metadata.name', 'name or generateName is required');
    return failed(invalid(resource, '', [missing]));
  }
  const object = newObject(storage, resource, namespace, name, draft, options);
  const errors = [...metadataErrors(resource, object.metadata), ...resource.validate(object, undefined)];
  if (errors.length > 0) return failed(invalid(resource, name, errors));
  if (storage.collectionOf(resource).get(namespace, name) !== undefined) return failed(alreadyExists(resource, name));
  return ok(options.dryRun ? object : storage.put(resource, object));
}

/** Checks the object's namespace against that of the request. */
export function namespaceError(namespace: string, given: string | undefined): Status | undefined {
  if (!given || given === namespace) return undefined;
  return badRequest('the namespace of the provided object does not match the namespace sent on the request');
}

function scopeError(
  storage: Storage,
  resource: Resource,
  namespace: string,
  given: string | undefined,
  name: string,
): Status | undefined {
  const mismatch = namespaceError(namespace, given);
  if (mismatch !== undefined) return mismatch;
  if (resource.createForbidden !== undefined) return forbidden(resource, name, resource.createForbidden);
  if (!resource.isNamespaced) return undefined;
  const namespaceObject = storage.collectionOf(namespaces).get('', namespace);
  if (namespaceObject === undefined) return notFound(namespaces, namespace);
  if (namespaceObject.metadata.deletionTimestamp === undefined) return undefined;
  const why = `unable to create new content in namespace ${namespace} because it is being terminated`;
  const message = `namespace ${namespace} is being terminated`;
  return forbidden(resource, name, why, [{ reason: 'NamespaceTerminating', message, field: 'metadata.namespace' }]);
}

/** The code is that of the real server. */
function versionError({ resourceVersion }: Draft['metadata']): Status | undefined {
  if (!resourceVersion) return undefined;
  return failure(500, undefined, 'resourceVersion should not be set on objects to be created');
}

function newObject(
  storage: Storage,
  resource: Resource,
  namespace: string,
  name: string,
  draft: Draft,
  options: WriteOptions,
): KubeObject {
  const { metadata } = draft;
  const now = storage.clock.now();
  const given = fieldsOf(resource, draft);
  const status = resource.initialStatus(given);
  const { status: _status, ...rest } = given;
  const uid = randomUUID();
  const identity = { name, uid };
  const fields = storage.admit(resource, resource.complete(rest, undefined, identity), undefined);
  const meta: ObjectMeta = {
    name,
    generateName: metadata.generateName,
    namespace: resource.isNamespaced ? namespace : undefined,
    uid,
    resourceVersion: '',
    generation: resource.generation === 'none' ? metadata.generation : 1,
    creationTimestamp: timestamp(now),
    labels: resource === namespaces ? { ...metadata.labels, 'kubernetes.io/metadata.name': name } : metadata.labels,
    annotations: metadata.annotations,
    ownerReferences: metadata.ownerReferences,
    finalizers: metadata.finalizers,
  };
  const content = { ...fields, metadata: meta };
  const managedFields =
    options.managedFields ?? managedFieldsOf(resource, undefined, content, metadata.managedFields, now, options);
  const stored = resource.allocate(fields, undefined, identity);
  return assemble(resource, { ...meta, managedFields }, status === undefined ? stored : { ...stored, status });
}

const alphabet = 'bcdfghjklmnpqrstvwxz2456789';
const maxPrefixLength = 58;

/** Retries with another generated name up to seven times, because five letters can collide. */
function freeName(storage: Storage, resource: Resource, namespace: string, prefix: string): string {
  if (prefix === '') return '';
  let name = '';
  for (let tries = 0; tries < 8; tries += 1) {
    name = generatedName(prefix, storage.random);
    if (storage.collectionOf(resource).get(namespace, name) === undefined) break;
  }
  return name;
}

function generatedName(prefix: string, random: () => number): string {
  const suffix = Array.from({ length: 5 }, () => alphabet[Math.floor(random() * alphabet.length)] ?? 'x');
  return prefix.slice(0, maxPrefixLength) + suffix.join('');
}
