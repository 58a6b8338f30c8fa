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
  /** The fields beside kind, apiVersion and metadata, in the order of the API's types; others are dropped. */
  readonly fields: readonly string[];
  /** `path`: any valid path segment. */
  readonly names: 'subdomain' | 'label' | 'path';
  /**
   * What has to change for a new `metadata.generation`: the spec, the spec or the annotations, everything with the
   * labels, everything except status and metadata, or never.
   */
  readonly generation: 'spec' | 'specOrAnnotations' | 'content' | 'allButStatus' | 'none';
  /** Its schema for merging and ownership. */
  readonly shape: Shape;
  /**
   * From when on managedFields have fields: from the creation on, as on the real server, or from the first apply on.
   * The latter is for objects that come by the thousand, whose managedFields would outweigh them.
   */
  readonly owners: 'always' | 'onceApplied';
  /** The fields that are always serialized: structs without `omitempty`. */
  readonly zero: JsonObject;
  /** Defined by a CustomResourceDefinition: unknown paths below it get the response of an unknown resource. */
  readonly isCustom: boolean;
  /** The JSON schema of a custom resource. */
  readonly schema: unknown;
  /** Why nothing can be created; undefined if it can. */
  readonly closed: string | undefined;
  /** Added at the deletion. */
  readonly deletionFinalizer: string | undefined;
  /** Whether a write of the status may change labels, annotations, owners and finalizers. */
  readonly statusWritesMetadata: boolean;
  /** What a write of the status does not change, as paths of fieldsV1. */
  readonly statusIgnores: readonly string[];
  readonly hasStatus: boolean;
  /** Subresources beside the status. `eviction` accepts POST, `scale` GET, PUT and PATCH. */
  readonly subresources: readonly ('eviction' | 'scale')[];
  /** Whether an update may omit the resourceVersion, and may create an absent object. */
  readonly update: { readonly isUnconditional: boolean; readonly creates: boolean };
  /** A deletion responds with the object in place of a Status. */
  readonly returnsDeleted: boolean;
  readonly hasCollectionDeletion: boolean;
  /** Deleted with a grace period. */
  readonly isGraceful: boolean;
  /** The supported field selectors beside metadata.name and metadata.namespace, with their paths. */
  readonly selectable: Readonly<Record<string, string>>;
  readonly shortNames: readonly string[];
  /** The name of its storage: two views of the same objects (events) share it. */
  readonly storage: string;
  /** Why a body cannot be decoded to this kind (400); undefined if it can. */
  readonly decodeError: (fields: JsonObject) => string | undefined;
  /** Sets defaults, on the fields beside the metadata. `old`: the replaced object. */
  readonly complete: (fields: JsonObject, old: KubeObject | undefined, self: Identity) => JsonObject;
  /** Normalizes the given fields as the API's types do, before defaults are set. */
  readonly canonical: (fields: JsonObject) => JsonObject;
  /** Sets what the server allocates, which has no owner. */
  readonly allocate: (fields: JsonObject, old: KubeObject | undefined, self: Identity) => JsonObject;
  /** Whether a write is a new generation although it changes nothing. */
  readonly isRestless: (given: JsonObject) => boolean;
  /** The status of a new object; that of the client is ignored. */
  readonly initialStatus: (fields: JsonObject) => JsonObject | undefined;
  /** Validates an object that is to be created, or to replace `old`. */
  readonly validate: (object: KubeObject, old: KubeObject | undefined) => readonly FieldError[];
  /** For a view: converts the fields beside the metadata from the served to the stored form, and back. */
  readonly view: { readonly toStored: FieldsChange; readonly toWire: FieldsChange } | undefined;
}

/** What an object needs to refer to itself. */
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
    closed: undefined,
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
    isRestless: () => false,
    initialStatus: () => undefined,
    validate: () => [],
    view: undefined,
    ...row,
  };
}

/** For kinds without a schema: everything beside the metadata is merged as it is. */
const unknownShape: Shape = {
  is: 'map',
  isAtomic: false,
  fields: new Map([
    ['metadata', { shape: shapeOf('ObjectMeta') ?? any, isRequired: false, dropsZero: false, default: undefined }],
  ]),
  values: any,
};

/** Field selectors whose name is their path. */
export function byPath(...paths: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(paths.map((path) => [path, path]));
}

export function apiVersionOf({ group, version }: Resource): string {
  return group === '' ? version : `${group}/${version}`;
}
