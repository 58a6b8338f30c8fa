import type { Json } from './identity.ts';

/**
 * The observed part of an object as a flat map. The difference of two projections is drift. Paths are those of
 * `pathText`. Only `project` makes projections, and only `compare` compares them.
 */
export interface Projection {
  /** By path. An absent field has no entry. */
  readonly fields: ReadonlyMap<string, Json>;
  /** By path: the lists whose length is observed. */
  readonly lists: ReadonlyMap<string, ObservedList>;
  /** Elements of a map list or set that occur more than once, by path, with their number. */
  readonly duplicates: ReadonlyMap<string, number>;
}

/** A list whose length is observed, whether it exists or not. */
export interface ObservedList {
  /** The number of elements, with duplicates counted once; 0 for an absent list. */
  readonly length: number;
  /** Undefined: the length of the API server's own response. */
  readonly bounds: LengthBounds | undefined;
  /** Elements that the mask does not list, in the list's order, by the text of their step (`[name="x"]`). */
  readonly others: ReadonlyMap<string, Json>;
}

export interface LengthBounds {
  readonly min: number;
  /** 0: unlimited. */
  readonly max: number;
}

/** An observed field that differs from the applied value. */
export interface Drift {
  readonly path: string;
  /** Undefined: absent. */
  readonly desired: Json | undefined;
  /** Undefined: absent. */
  readonly found: Json | undefined;
  /** `excess`: it exists and should not; `duplicate`: an element occurs more than once, with its number. */
  readonly type: 'changed' | 'missing' | 'excess' | 'duplicate';
}
