import { type JsonObject, objectOf } from '../../base/json.ts';
import { canonical } from '../managedfields/canonical.ts';
import { any, type Shape } from '../managedfields/shape.ts';
import type { KubeObject } from '../meta/objects.ts';
import type { FieldError } from '../meta/status.ts';
import { shapeOf } from '../schema/types.ts';

/** The strategy of a resource: everything in which it differs from the others. */
export interface Resource {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  /** The fields except kind, apiVersion and metadata, in the order of the API's types; others are dropped. */
  readonly fields: readonly string[];
  /** `path`: any valid path segment. */
  readonly names: 'subdomain' | 'label' | 'path';
  /**
   * The changes that increment `metadata.generation`: of the spec, of the spec or the annotations, of the labels or any
   * field, of any field except status and metadata, or none.
   */
  readonly generation: 'spec' | 'specOrAnnotations' | 'content' | 'allButStatus' | 'none';
  /** The schema for merging and ownership. */
  readonly shape: Shape;
  /**
   * When managedFields begin to list fields: at the creation, as on the real server, or at the first apply. The latter
   * saves memory for kinds with thousands of objects.
   */
  readonly owners: 'always' | 'onceApplied';
  /** The fields that are always serialized: structs without `omitempty`. */
  readonly zero: JsonObject;
  /** Whether a CustomResourceDefinition defines it: unknown paths below it get the response of an unknown path. */
  readonly isCustom: boolean;
  /** The JSON schema of a custom resource. */
  readonly schema: unknown;
  /** The message of the 403 for creates; undefined if they are allowed. */
  readonly createForbidden: string | undefined;
  /** The finalizer that a deletion adds. */
  readonly deletionFinalizer: string | undefined;
  /** Whether a write of the status may change labels, annotations, owners and finalizers. */
  readonly statusWritesMetadata: boolean;
  /** The fields that a write of the status does not change, as paths of fieldsV1. */
  readonly statusIgnores: readonly string[];
  readonly hasStatus: boolean;
  /** The subresources except the status. `eviction` accepts POST, `scale` GET, PUT and PATCH. */
  readonly subresources: readonly ('eviction' | 'scale')[];
  /** Whether an update may omit the resourceVersion, and may create an absent object. */
  readonly update: { readonly isUnconditional: boolean; readonly creates: boolean };
  /** Whether a deletion responds with the object instead of a Status. */
  readonly returnsDeleted: boolean;
  readonly hasCollectionDeletion: boolean;
  /** Whether objects are deleted with a grace period. */
  readonly isGraceful: boolean;
  /** The supported field selectors except metadata.name and metadata.namespace, with their paths. */
  readonly selectable: Readonly<Record<string, string>>;
  readonly shortNames: readonly string[];
  /** The name of its storage, which two views of the same objects (Events) share. */
  readonly storage: string;
  /** Returns the message of the 400 if a body cannot be decoded, or else undefined. */
  readonly decodeError: (fields: JsonObject) => string | undefined;
  /** Sets defaults on all fields except the metadata. `old` is the replaced object. */
  readonly complete: (fields: JsonObject, old: KubeObject | undefined, self: Identity) => JsonObject;
  /** Normalizes the given fields as the API's types do, before defaults are set. */
  readonly canonical: (fields: JsonObject) => JsonObject;
  /** Sets the fields that the server allocates, which have no owner. */
  readonly allocate: (fields: JsonObject, old: KubeObject | undefined, self: Identity) => JsonObject;
  /** Returns whether a write increments the generation even if it changes nothing. */
  readonly alwaysIncrementsGeneration: (given: JsonObject) => boolean;
  /** Returns the status of a new object; that of the client is ignored. */
  readonly initialStatus: (fields: JsonObject) => JsonObject | undefined;
  /** Validates an object that is to be created, or to replace `old`. */
  readonly validate: (object: KubeObject, old: KubeObject | undefined) => readonly FieldError[];
  /** Converts all fields except the metadata to the stored form, and back; undefined if they are stored as served. */
  readonly view: { readonly toStored: FieldsChange; readonly toWire: FieldsChange } | undefined;
}

/** The identity of an object, for fields that refer to it. */
export interface Identity {
  readonly name: string;
  readonly uid: string;
}

type FieldsChange = (fields: JsonObject) => JsonObject;

/** The definition of a resource; the defaults are those of most resources. */
export type Row = Partial<Resource> & Pick<Resource, 'plural' | 'kind' | 'fields'>;

/** Creates a resource from its definition. */
export function resource(row: Row): Resource {
  const group = row.group ?? '';
  const shape = shapeOf(row.kind);
  return {
    group,
    version: 'v1',
    singular: row.kind.toLowerCase(),
    isNamespaced: true,
    names: 'subdomain',
    generation: 'none',
    shape: shape ?? unknownShape,
    owners: shape === undefined ? 'onceApplied' : 'always',
    zero: {},
    isCustom: false,
    schema: undefined,
    createForbidden: undefined,
    deletionFinalizer: undefined,
    statusWritesMetadata: true,
    statusIgnores: ['f:spec'],
    hasStatus: row.fields.includes('status'),
    subresources: [],
    update: { isUnconditional: true, creates: false },
    returnsDeleted: false,
    hasCollectionDeletion: true,
    isGraceful: false,
    selectable: {},
    shortNames: [],
    storage: group === '' ? row.plural : `${row.plural}.${group}`,
    decodeError: () => undefined,
    canonical: shape === undefined ? (fields) => fields : (fields) => objectOf(canonical(shape, fields)),
    complete: (fields) => fields,
    allocate: (fields) => fields,
    alwaysIncrementsGeneration: () => false,
    initialStatus: () => undefined,
    validate: () => [],
    view: undefined,
    ...row,
  };
}

/** The shape of kinds without a schema. */
const unknownShape: Shape = {
  type: 'map',
  isAtomic: false,
  fields: new Map([
    ['metadata', { shape: shapeOf('ObjectMeta') ?? any, isRequired: false, dropsZero: false, default: undefined }],
  ]),
  values: any,
};

/** Returns field selectors whose name is their path. */
export function byPath(...paths: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(paths.map((path) => [path, path]));
}

export function apiVersionOf({ group, version }: Resource): string {
  return group === '' ? version : `${group}/${version}`;
}
