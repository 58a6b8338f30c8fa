import type { JsonObject } from '../../base/json.ts';
import { keyError, nameErrors, valueError } from '../meta/names.ts';
import { type Draft, type KubeObject, type ObjectMeta, orderedMeta } from '../meta/objects.ts';
import { type FieldError, fieldError } from '../meta/status.ts';
import { apiVersionOf, type Resource } from './resource.ts';

/** The options of every write. */
export interface WriteOptions {
  /** Whether it stores nothing, but validates and returns the result. */
  readonly dryRun?: boolean;
  /** The name of the field manager. */
  readonly manager?: string;
  readonly subresource?: 'status' | 'scale' | undefined;
  /** The managedFields after the write, if an apply has calculated them. */
  readonly managedFields?: readonly JsonObject[];
}

/** Assembles an object with its fields in the order of the API. */
export function assemble(resource: Resource, metadata: ObjectMeta, fields: JsonObject): KubeObject {
  return {
    kind: resource.kind,
    apiVersion: resource.view === undefined ? apiVersionOf(resource) : 'v1',
    metadata: orderedMeta(metadata),
    ...fields,
  };
}

/** Returns the fields of the resource, without the metadata. */
export function fieldsOf(resource: Resource, object: Draft | KubeObject): JsonObject {
  const fields: Record<string, unknown> = {};
  for (const field of storedFields(resource)) if (object[field] !== undefined) fields[field] = object[field];
  return fields;
}

/** Validates names, labels, annotations and finalizers. */
export function metadataErrors(resource: Resource, meta: ObjectMeta): readonly FieldError[] {
  const keys = Object.keys(meta.labels ?? {});
  return [
    ...(meta.generateName
      ? nameErrors(resource, 'metadata.generateName', meta.generateName.replace(/(?<!-)-+$/, ''))
      : []),
    ...nameErrors(resource, 'metadata.name', meta.name),
    ...keys.flatMap((key) => errorAt('metadata.labels', key, keyError(key))),
    ...Object.values(meta.labels ?? {}).flatMap((value) => errorAt('metadata.labels', value, valueError(value))),
    ...Object.keys(meta.annotations ?? {}).flatMap((key) =>
      errorAt('metadata.annotations', key, keyError(key.toLowerCase())),
    ),
    ...sizeErrors(meta),
    ...(meta.finalizers ?? []).flatMap((name) => errorAt('metadata.finalizers', name, keyError(name))),
  ];
}

/** The limit for all keys and values of an object's annotations, in bytes. */
const maxAnnotationBytes = 256 << 10;

function sizeErrors({ annotations }: ObjectMeta): readonly FieldError[] {
  const sizes = Object.entries(annotations ?? {}).map(
    ([key, value]) => Buffer.byteLength(key) + Buffer.byteLength(value),
  );
  const total = sizes.reduce((sum, size) => sum + size, 0);
  return total > maxAnnotationBytes ? [fieldError.tooLong('metadata.annotations', maxAnnotationBytes)] : [];
}

function errorAt(field: string, value: string, detail: string | undefined): readonly FieldError[] {
  return detail === undefined ? [] : [fieldError.invalid(field, value, detail)];
}

const storedNames = new WeakMap<Resource, readonly string[]>();

/** Converts the fields of a view to the names under which they are stored. */
function storedFields(resource: Resource): readonly string[] {
  const { fields, view } = resource;
  if (view === undefined) return fields;
  const names =
    storedNames.get(resource) ?? Object.keys(view.toStored(Object.fromEntries(fields.map((each) => [each, 0]))));
  storedNames.set(resource, names);
  return names;
}
