import { type JsonObject, objectOf } from '../../base/json.ts';
import { canonical } from '../managedfields/canonical.ts';
import { any, type Shape } from '../managedfields/shape.ts';
import type { KubeObject } from '../meta/objects.ts';
import type { Fault } from '../meta/status.ts';
import { shapeOf } from '../schema/types.ts';

/** One kind of object that the server keeps: everything by which one resource differs from another. */
export interface Resource {
  /** Empty for the core group. */
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly isNamespaced: boolean;
  /** What it may hold beside kind, apiVersion and metadata, in the order of the API's types; the rest is dropped. */
  readonly fields: readonly string[];
  /** `path`: anything that can stand in a path. */
  readonly names: 'subdomain' | 'label' | 'path';
  /** What has to change for `metadata.generation` to grow: the spec, it or the annotations, anything with the labels, anything but status and metadata, or it has none. */
  readonly generation: 'spec' | 'specOrAnnotations' | 'content' | 'allButStatus' | 'none';
  /** What its schema says of merging and owning. */
  readonly shape: Shape;
  /**
   * Since when its managedFields say which field is whose: since it was created, as the real server does it, or only
   * since somebody applied it. The latter for what comes by the thousand, whose managedFields would outweigh it.
   */
  readonly owners: 'always' | 'onceApplied';
  /** The fields that an object has before anybody has set one: the structs that its type always writes. */
  readonly zero: JsonObject;
  /** Defined by a CustomResourceDefinition: what it does not have is answered as if nobody knew it. */
  readonly isCustom: boolean;
  /** The JSON schema of a custom one. */
  readonly schema: unknown;
  /** Why nothing can be created; undefined: it can. */
  readonly closed: string | undefined;
  /** Put on an object by its deletion, for whoever has to see to it first. */
  readonly deletionFinalizer: string | undefined;
  /** Whether a write of the status may change labels, annotations, owners and finalizers. */
  readonly statusWritesMetadata: boolean;
  /** What a write of the status leaves as it is, as paths of fieldsV1. */
  readonly statusIgnores: readonly string[];
  readonly hasStatus: boolean;
  /** Beside the status. `eviction` answers POST, `scale` is read and written. */
  readonly subresources: readonly ('eviction' | 'scale')[];
  /** May an update leave the resourceVersion out, and may it create what does not exist? */
  readonly update: { readonly isUnconditional: boolean; readonly creates: boolean };
  /** A deletion is answered with the object, and not with a Status that says Success. */
  readonly returnsDeleted: boolean;
  readonly hasCollectionDeletion: boolean;
  /** Deleted in steps, with a grace period. */
  readonly isGraceful: boolean;
  /** What field selectors may use beside metadata.name and metadata.namespace: their name for it, and its path. */
  readonly selectable: Readonly<Record<string, string>>;
  readonly shortNames: readonly string[];
  /** The name under which it is kept: two views of the same objects (events) have the same. */
  readonly storage: string;
  /** Why a body with these fields is no object of this kind (400); undefined: it is one. */
  readonly unreadable: (fields: JsonObject) => string | undefined;
  /** Fills in what the API fills in; gets and gives the fields beside the metadata. `old`: what is replaced. */
  readonly complete: (fields: JsonObject, old: KubeObject | undefined, self: Identity) => JsonObject;
  /** As the API's types write the fields that were given, before they are completed. */
  readonly canonical: (fields: JsonObject) => JsonObject;
  /** Fills in what the server chooses, which nobody owns. */
  readonly allocate: (fields: JsonObject, old: KubeObject | undefined, self: Identity) => JsonObject;
  /** Whether a write of these fields is a new generation although it changes nothing. */
  readonly isRestless: (given: JsonObject) => boolean;
  /** The status of a new object, whatever the client sent. */
  readonly initialStatus: (fields: JsonObject) => JsonObject | undefined;
  /** What is wrong with an object that is to be created, or to replace `old`. */
  readonly validate: (object: KubeObject, old: KubeObject | undefined) => readonly Fault[];
  /** For a view: from the wire to the stored form and back, of the fields beside the metadata. */
  readonly view: { readonly toStored: FieldsChange; readonly toWire: FieldsChange } | undefined;
}

/** By what an object is known that refers to itself. */
export interface Identity {
  readonly name: string;
  readonly uid: string;
}

type FieldsChange = (fields: JsonObject) => JsonObject;

/** What a row of the table has to say; whatever it leaves out is as most resources have it. */
export type Row = Partial<Resource> & Pick<Resource, 'plural' | 'kind' | 'fields'>;

/** A resource from its row. */
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
    unreadable: () => undefined,
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

/** Of kinds that the table of types does not have: all but the metadata is merged as it comes. */
const unknownShape: Shape = {
  is: 'map',
  isAtomic: false,
  fields: new Map([
    ['metadata', { shape: shapeOf('ObjectMeta') ?? any, isRequired: false, dropsZero: false, default: undefined }],
  ]),
  values: any,
};

/** Paths that field selectors call by their own names. */
export function byPath(...paths: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(paths.map((path) => [path, path]));
}

export function apiVersionOf({ group, version }: Resource): string {
  return group === '' ? version : `${group}/${version}`;
}
