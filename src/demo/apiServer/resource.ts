import type { JsonObject } from '../../json.ts';
import type { KubeObject } from './objects.ts';
import type { Fault } from './status.ts';

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
  readonly names: 'subdomain' | 'label';
  /** What has to change for `metadata.generation` to grow: the spec, it or the annotations, anything with the labels, or it has none. */
  readonly generation: 'spec' | 'specOrAnnotations' | 'content' | 'none';
  /** Its managedFields say which field is whose. */
  readonly hasFieldOwners: boolean;
  readonly hasStatus: boolean;
  /** `eviction`: answers POST on it. */
  readonly subresources: readonly 'eviction'[];
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
  return {
    group,
    version: 'v1',
    singular: row.kind.toLowerCase(),
    isNamespaced: true,
    names: 'subdomain',
    generation: 'none',
    hasFieldOwners: false,
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
    complete: (fields) => fields,
    initialStatus: () => undefined,
    validate: () => [],
    view: undefined,
    ...row,
  };
}

/** Paths that field selectors call by their own names. */
export function byPath(...paths: readonly string[]): Readonly<Record<string, string>> {
  return Object.fromEntries(paths.map((path) => [path, path]));
}

export function apiVersionOf({ group, version }: Resource): string {
  return group === '' ? version : `${group}/${version}`;
}
