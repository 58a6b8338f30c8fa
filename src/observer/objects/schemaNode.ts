import type { Json } from './identity.ts';

/** How the API server identifies the elements of a list (`x-kubernetes-list-type`). */
export type ListTopology =
  | {
      readonly type: 'map';
      /** The keys that identify an element together: `[port, protocol]`. */
      readonly keys: readonly string[];
      /** Defaults of keys that an element leaves out: `{ protocol: 'TCP' }`. */
      readonly defaults: Readonly<Record<string, Json>>;
    }
  /** By value, without order. */
  | { readonly type: 'set' }
  /** By position; written as a whole. */
  | { readonly type: 'atomic' }
  /**
   * The document does not say it. The server treats the list as atomic, and the observer schema may name a key to
   * compare by.
   */
  | { readonly type: 'unknown' };

/** One node in the schema of a kind, as the API server publishes it (`/openapi/v3`). */
export interface SchemaNode {
  /** Returns the node of a field of this map, or `unknownNode` for an undeclared field. */
  field(name: string): SchemaNode;
  /** Returns the node of the elements of this list. */
  items(): SchemaNode;
  /** Valid only if the node is a list. */
  readonly list: ListTopology;
  /** Atomic: the map is owned and written as a whole. Valid only if the node is a map. */
  readonly map: 'granular' | 'atomic';
  /** Null is a value of this field, which the API server stores. Elsewhere null means that the field is not set. */
  readonly isNullable: boolean;
  /** Only of the root of a kind: equal if its schema is equal. Undefined: the schema does not change. */
  readonly digest?: string;
}

const unknownTopology: ListTopology = Object.freeze({ type: 'unknown' });

/** A node without a schema: the API server treats maps there as granular, and lists as atomic. */
export const unknownNode: SchemaNode = Object.freeze({
  field: () => unknownNode,
  items: () => unknownNode,
  list: unknownTopology,
  map: 'granular',
  isNullable: false,
});

/** A node of a custom resource that its schema leaves open: the API server stores whatever is there. */
export const openNode: SchemaNode = Object.freeze({
  field: () => openNode,
  items: () => openNode,
  list: unknownTopology,
  map: 'granular',
  isNullable: true,
});
