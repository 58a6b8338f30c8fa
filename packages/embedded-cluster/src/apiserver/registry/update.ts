import { failed, ok } from '../../base/result.ts';
import type { Draft, KubeObject } from '../meta/objects.ts';
import {
  badRequest,
  conflict,
  type FieldError,
  failure,
  fieldError,
  invalid,
  notFound,
  type Outcome,
  type Status,
} from '../meta/status.ts';
import type { Storage } from '../storage/storage.ts';
import { namespaces } from '../strategies/resources.ts';
import { metadataErrors, type WriteOptions } from './assemble.ts';
import { create, namespaceError } from './create.ts';
import { nextObject } from './nextObject.ts';
import type { Resource } from './resource.ts';

/** An object after an update; `isNew` if the update created it. */
export interface Updated {
  readonly object: KubeObject;
  readonly isNew: boolean;
}

/** Replaces the object with the draft (PUT). Fails with 400, 404, 409 (another version or uid), 422. */
export function replace(
  storage: Storage,
  resource: Resource,
  namespace: string,
  name: string,
  draft: Draft,
  options: WriteOptions = {},
): Outcome<Updated> {
  const given = draft.metadata;
  if (!given.name) {
    return failed(
      badRequest(`the name of the object (${name} based on URL) was undeterminable: name must be provided`),
    );
  }
  const current = storage.collectionOf(resource).get(namespace, name);
  if (current !== undefined || given.name !== name) {
    const error = given.name === name && current !== undefined ? replaceError(resource, current, given) : undefined;
    if (error !== undefined) return failed(error);
    return change(storage, resource, namespace, name, () => ok(draft), options);
  }
  if (!resource.update.creates || options.subresource !== undefined) return failed(notFound(resource, name));
  const { resourceVersion: _version, uid: _uid, ...metadata } = given;
  const created = create(storage, resource, namespace, { ...draft, metadata }, options);
  return created.ok ? ok({ object: created.value, isNew: true }) : created;
}

/** Replaces the object with the draft of `draftOf`, except for immutable fields. Fails as `replace` does. */
export function change(
  storage: Storage,
  resource: Resource,
  namespace: string,
  name: string,
  draftOf: (current: KubeObject) => Outcome<Draft>,
  options: WriteOptions = {},
): Outcome<Updated> {
  const current = storage.collectionOf(resource).get(namespace, name);
  if (current === undefined) return failed(notFound(resource, name));
  const drafted = draftOf(current);
  if (!drafted.ok) return drafted;
  const draft = drafted.value;
  const isFixed = !(resource.isCustom && options.subresource === 'status');
  const refused = identityError(resource, namespace, current, draft.metadata, isFixed);
  if (refused !== undefined) return failed(refused);
  const next = nextObject(storage, resource, current, draft, options);
  if (next === current) return ok({ object: current, isNew: false });
  const errors = changeErrors(resource, next, current);
  if (errors.length > 0) return failed(invalid(resource, name, errors));
  if (options.dryRun) return ok({ object: next, isNew: false });
  if (isFinished(resource, next)) {
    storage.remove(resource, current);
    return ok({ object: next, isNew: false });
  }
  return ok({ object: storage.put(resource, next), isNew: false });
}

/**
 * Returns whether a terminating object can be removed: its grace period is over and it has no finalizers. Namespaces
 * are removed by their controller.
 */
function isFinished(resource: Resource, { metadata }: KubeObject): boolean {
  if (metadata.deletionTimestamp === undefined || resource === namespaces) return false;
  return metadata.finalizers === undefined && (metadata.deletionGracePeriodSeconds ?? 0) === 0;
}

/** Checks the fields that a patch takes from the object itself. */
function replaceError(resource: Resource, current: KubeObject, given: Draft['metadata']): Status | undefined {
  const { name, uid } = current.metadata;
  const version = given.resourceVersion ?? '';
  if (version !== '' && !/^\d+$/.test(version)) {
    return failure(500, undefined, `strconv.ParseUint: parsing ${JSON.stringify(version)}: invalid syntax`);
  }
  if (given.uid && given.uid !== uid) {
    const why = `Precondition failed: UID in precondition: ${given.uid}, UID in object meta: ${uid}`;
    return conflict(resource, name, `StorageError: invalid object, Code: 4, AdditionalErrorMsg: ${why}`);
  }
  if ((version === '' || version === '0') && !resource.update.isUnconditional) {
    const missing = fieldError.invalid('metadata.resourceVersion', 0, 'must be specified for an update');
    return invalid({ ...resource, kind: resource.plural }, name, [missing]);
  }
  return undefined;
}

function identityError(
  resource: Resource,
  namespace: string,
  { metadata }: KubeObject,
  given: Draft['metadata'],
  isFixed: boolean,
): Status | undefined {
  const { name, resourceVersion } = metadata;
  if (given.name && given.name !== name) {
    return badRequest(`the name of the object (${given.name}) does not match the name on the URL (${name})`);
  }
  const mismatch = namespaceError(namespace, given.namespace);
  if (mismatch !== undefined) return mismatch;
  const version = given.resourceVersion || '0';
  if (version !== '0' && version !== resourceVersion) return conflict(resource, name);
  const errors = (isFixed ? fixedFields : []).flatMap((field) => {
    const value = given[field];
    const isChanged = value !== undefined && value !== null && value !== '' && value !== metadata[field];
    return isChanged ? [fieldError.invalid(`metadata.${field}`, value, 'field is immutable')] : [];
  });
  return errors.length === 0 ? undefined : invalid(resource, name, errors);
}

/**
 * Immutable fields that a client may omit. A change of other immutable fields is ignored without an error, and so is a
 * change of these in a write of the status of a custom resource.
 */
const fixedFields = ['uid', 'deletionTimestamp', 'deletionGracePeriodSeconds'] as const;

function changeErrors(resource: Resource, next: KubeObject, current: KubeObject): readonly FieldError[] {
  const finalizers = new Set(current.metadata.finalizers);
  const added = (next.metadata.finalizers ?? []).filter((each) => !finalizers.has(each));
  const isLate = current.metadata.deletionTimestamp !== undefined && added.length > 0;
  const list = `[]string{${added.map((each) => JSON.stringify(each)).join(', ')}}`;
  const why = `no new finalizers can be added if the object is being deleted, found new finalizers ${list}`;
  return [
    ...(isLate ? [fieldError.forbidden('metadata.finalizers', why)] : []),
    ...metadataErrors(resource, next.metadata),
    ...resource.validate(next, current),
  ];
}
