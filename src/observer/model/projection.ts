import type { Json } from './identity.ts';

/**
 * The observed part of an object, flat: what two of them differ in is drift. Texts of paths are those of `pathText`.
 * Made by `project` alone, compared by `compare` alone.
 */
export interface Projection {
  /** By path. What is absent has no entry. */
  readonly fields: ReadonlyMap<string, Json>;
  /** By path: the lists whose length is observed. */
  readonly lists: ReadonlyMap<string, ObservedList>;
  /** By path: elements of a map list or set that occur more than once, and how often. */
  readonly duplicates: ReadonlyMap<string, number>;
}

/** A list whose length is observed, whether it is there or not. */
export interface ObservedList {
  /** Elements that are there, duplicates counted once; an absent list has none. */
  readonly length: number;
  /** Undefined: as many as the API server's own reply has. */
  readonly bounds: LengthBounds | undefined;
  /** Elements that the mask does not list, in the list's order, by the text of their step (`[name="x"]`). */
  readonly others: ReadonlyMap<string, Json>;
}

export interface LengthBounds {
  readonly min: number;
  /** 0: unlimited. */
  readonly max: number;
}

/** One observed field that is not as it was applied. */
export interface Drift {
  readonly path: string;
  /** Undefined: absent. */
  readonly desired: Json | undefined;
  /** Undefined: absent. */
  readonly found: Json | undefined;
  /** `excess`: it is there and should not be; `duplicate`: an element is there more than once, counted. */
  readonly is: 'changed' | 'missing' | 'excess' | 'duplicate';
}
