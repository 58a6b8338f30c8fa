import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../base/json.ts';
import { baseFields, isSameOwners, managedFieldsOf } from '../managedfields/managedFields.ts';
import { type Draft, type KubeObject, type ObjectMeta, withMeta } from '../meta/objects.ts';
import type { Storage } from '../storage/storage.ts';
import { assemble, fieldsOf, type WriteOptions } from './assemble.ts';
import type { Resource } from './resource.ts';

/** Applies a draft to an object; returns the same object if nothing changes. */
export function nextObject(
  storage: Storage,
  resource: Resource,
  current: KubeObject,
  draft: Draft,
  options: WriteOptions,
): KubeObject {
  const before = fieldsOf(resource, current);
  const given = nextFields(storage, resource, current, before, draft, options);
  const fields = options.subresource === 'status' ? given : resource.allocate(given, current, current.metadata);
  const keepsMetadata = options.subresource === 'status' && !resource.statusWritesMetadata;
  const { labels, annotations, ownerReferences, finalizers, generateName } = keepsMetadata
    ? current.metadata
    : draft.metadata;
  const meta: ObjectMeta = { ...current.metadata, labels, annotations, ownerReferences, finalizers, generateName };
  const same = assemble(resource, meta, fields);
  if (isDeepStrictEqual(same, assemble(resource, current.metadata, before))) {
    const owners = options.managedFields ?? baseFields(current, draft.metadata.managedFields, options);
    const owned = withOwners(resource, current, before, owners);
    return resource.alwaysIncrementsGeneration(given)
      ? withMeta(owned, { generation: (meta.generation ?? 0) + 1 })
      : owned;
  }
  const sent = draft.metadata.managedFields;
  const content = { ...given, metadata: meta };
  const managedFields =
    options.managedFields ?? managedFieldsOf(resource, current, content, sent, storage.clock.now(), options);
  // A write of the status may change annotations, without a new generation.
  const isStatus = options.subresource === 'status';
  const generation = isStatus ? meta.generation : nextGeneration(resource, current, same, before, fields);
  return assemble(resource, { ...meta, managedFields, generation }, fields);
}

/** Sets managedFields, without a new generation. A different time alone is not a change. */
function withOwners(
  resource: Resource,
  current: KubeObject,
  fields: JsonObject,
  managedFields: readonly JsonObject[],
): KubeObject {
  if (isSameOwners(managedFields, current.metadata.managedFields)) return current;
  return assemble(resource, { ...current.metadata, managedFields }, fields);
}

function nextFields(
  storage: Storage,
  resource: Resource,
  current: KubeObject,
  before: JsonObject,
  draft: Draft,
  { subresource }: WriteOptions,
): JsonObject {
  const given = fieldsOf(resource, draft);
  if (subresource === 'status') return withStatus(resource, before, given['status']);
  const { status: _status, ...rest } = given;
  const defaulted = resource.complete(resource.hasStatus ? rest : given, current, current.metadata);
  const completed = storage.admit(resource, defaulted, current);
  const { status } = before;
  return resource.hasStatus && status !== undefined ? { ...completed, status } : completed;
}

/** Only the status of a custom resource can be removed. */
function withStatus({ isCustom }: Resource, before: JsonObject, status: unknown): JsonObject {
  if (status !== undefined || !isCustom) return { ...before, status: status ?? {} };
  const { status: _status, ...rest } = before;
  return rest;
}

function nextGeneration(
  resource: Resource,
  { metadata }: KubeObject,
  next: KubeObject,
  before: JsonObject,
  after: JsonObject,
): number | undefined {
  const isSpecSame = () => isDeepStrictEqual(before['spec'], after['spec']);
  const isMetaSame = (field: 'labels' | 'annotations') => isDeepStrictEqual(next.metadata[field], metadata[field]);
  const isSame = {
    spec: isSpecSame,
    specOrAnnotations: () => isSpecSame() && isMetaSame('annotations'),
    content: () => isMetaSame('labels') && isDeepStrictEqual(before, after),
    allButStatus: () => isDeepStrictEqual({ ...before, status: null }, { ...after, status: null }),
    none: () => true,
  }[resource.generation]();
  return isSame ? metadata.generation : (metadata.generation ?? 0) + 1;
}
