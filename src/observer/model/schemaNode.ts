import type { Json } from './identity.ts';

/** How the elements of a list are told apart, as the server itself does it. */
export type ListTopology =
  | {
      readonly is: 'map';
      /** All of them together tell one element from another: `[port, protocol]`. */
      readonly keys: readonly string[];
      /** What a key is where an element does not say it: `{ protocol: 'TCP' }`. */
      readonly defaults: Readonly<Record<string, Json>>;
    }
  /** By value; the order says nothing. */
  | { readonly is: 'set' }
  /** By position; written as a whole. */
  | { readonly is: 'atomic' }
  /** The document says nothing: atomic for the server; the observer schema may name a key to compare by. */
  | { readonly is: 'unknown' };

/** One place in the objects of a kind, as the API server's own document describes it (`/openapi/v3`). */
export interface SchemaNode {
  /** The place of a field of the map that is here; of one that nobody declared, `anywhere`. */
  field(name: string): SchemaNode;
  /** The place of the elements of the list that is here. */
  items(): SchemaNode;
  /** Says something only where there is a list. */
  readonly list: ListTopology;
  /** Atomic: the map is owned and written as a whole. Says something only where there is a map. */
  readonly map: 'granular' | 'atomic';
}

const unknownTopology: ListTopology = Object.freeze({ is: 'unknown' });

/** A place of which the document says nothing: the server takes maps for granular there, and lists for atomic. */
export const unknownNode: SchemaNode = Object.freeze({
  field: () => unknownNode,
  items: () => unknownNode,
  list: unknownTopology,
  map: 'granular',
});
