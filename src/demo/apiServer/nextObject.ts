import { isDeepStrictEqual } from 'node:util';
import type { JsonObject } from '../../json.ts';
import { assemble, fieldsOf, managedBy, type WriteOptions } from './assemble.ts';
import type { Draft, KubeObject, ObjectMeta } from './objects.ts';
import type { Resource } from './resource.ts';
import type { Storage } from './store.ts';

/** What a draft makes of an object: the very same object when nothing changes. */
export function nextObject(
  storage: Storage,
  resource: Resource,
  current: KubeObject,
  draft: Draft,
  options: WriteOptions,
): KubeObject {
  const before = fieldsOf(resource, current);
  const fields = nextFields(resource, current, before, draft, options);
  const { labels, annotations, ownerReferences, finalizers, generateName } = draft.metadata;
  const meta: ObjectMeta = { ...current.metadata, labels, annotations, ownerReferences, finalizers, generateName };
  const same = assemble(resource, meta, fields);
  if (isDeepStrictEqual(same, assemble(resource, current.metadata, before))) return current;
  const managedFields = managedBy(resource, current.metadata.managedFields, storage.clock.now(), options);
  const labelsChange = !isDeepStrictEqual(same.metadata.labels, current.metadata.labels);
  const generation = nextGeneration(resource, current, before, fields, labelsChange);
  return assemble(resource, { ...meta, managedFields, generation }, fields);
}

function nextFields(
  resource: Resource,
  current: KubeObject,
  before: JsonObject,
  draft: Draft,
  { subresource }: WriteOptions,
): JsonObject {
  const given = fieldsOf(resource, draft);
  if (subresource === 'status') return { ...before, status: given['status'] ?? {} };
  const { status: _status, ...rest } = given;
  const completed = resource.complete(rest, current);
  return resource.hasStatus ? { ...completed, status: before['status'] } : completed;
}

function nextGeneration(
  resource: Resource,
  { metadata }: KubeObject,
  before: JsonObject,
  after: JsonObject,
  labelsChange: boolean,
): number | undefined {
  const isSame =
    resource.generation === 'spec'
      ? isDeepStrictEqual(before['spec'], after['spec'])
      : resource.generation === 'none' || (!labelsChange && isDeepStrictEqual(before, after));
  return isSame ? metadata.generation : (metadata.generation ?? 0) + 1;
}
