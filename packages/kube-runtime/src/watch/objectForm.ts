import { type JsonObject, textOf } from '../base/json.ts';
import type { ObjectForm } from '../client/accept.ts';

/** How the objects of a source are read. */
export interface Reading {
  /** The kind of the objects: `Pod`. */
  readonly kind: string;
  /** Default: `object`. */
  readonly as?: ObjectForm;
  /**
   * Removes from each object what must not be seen, before the sink, a recorder, the log or an error receives it. The
   * sink's `isIrrelevant` is not called then. The function must accept any object and must not modify it. Default:
   * nothing is removed.
   */
  readonly reduce?: (object: JsonObject) => JsonObject;
}

/** The kind of the objects in the response. */
export function wireKind({ kind, as }: Pick<Reading, 'kind' | 'as'>): string {
  return as === 'metadata' ? 'PartialObjectMetadata' : kind;
}

/** Whether the response may contain what only the decoder may see. */
export function isConfidential({ as, reduce }: Pick<Reading, 'as' | 'reduce'>): boolean {
  return as === 'metadata' || reduce !== undefined;
}

/**
 * The object as it is visible outside of the decoder. If the object cannot be reduced, the error quotes nothing of it.
 */
export function reduced({ reduce }: Pick<Reading, 'reduce'>, object: JsonObject): JsonObject {
  if (reduce === undefined) return object;
  try {
    return reduce(object);
  } catch (error) {
    const name = error instanceof Error ? textOf(error.name) : typeof error;
    throw new Error(`the object could not be reduced to the needed fields (${name})`);
  }
}
