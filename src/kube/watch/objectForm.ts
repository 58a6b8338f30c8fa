import { type JsonObject, textOf } from '../../base/json.ts';

/** What of each object is read: all of it, or its metadata only (`meta.k8s.io/v1` PartialObjectMetadata). */
type ObjectForm = 'object' | 'metadata';

/** What has to be known of a source to read its objects as it wants them. */
export interface Reading {
  /** The kind of its objects: `Pod`. */
  readonly kind: string;
  /** Default: `object`. */
  readonly as?: ObjectForm;
  /**
   * Cuts each object down to what may be seen of it, before the sink, a recorder, a log or an error can see it. The
   * sink is then not asked `isIrrelevant`. Has to take any object, and to leave it as it is. Default: nothing is cut.
   */
  readonly reduce?: (object: JsonObject) => JsonObject;
}

const metadataOnly = (kind: string) => `application/json;as=${kind};g=meta.k8s.io;v=v1`;

/**
 * The `Accept` header of one request. A list and a watch or GET need different ones: the other one's is answered by
 * 406. There is no second choice in it: rather no objects than whole ones.
 */
export function acceptOf(form: ObjectForm | undefined, request: 'list' | 'watch' | 'get'): string {
  if (form !== 'metadata') return 'application/json';
  return metadataOnly(request === 'list' ? 'PartialObjectMetadataList' : 'PartialObjectMetadata');
}

/** The kind that the objects have as they come. */
export function wireKind({ kind, as }: Pick<Reading, 'kind' | 'as'>): string {
  return as === 'metadata' ? 'PartialObjectMetadata' : kind;
}

/** Whether what comes may hold more than anybody but the decoder is to see. */
export function isConfidential({ as, reduce }: Pick<Reading, 'as' | 'reduce'>): boolean {
  return as === 'metadata' || reduce !== undefined;
}

/** The object as everybody behind the decoder sees it. Throws without a word of the object when it cannot be reduced. */
export function reduced({ reduce }: Pick<Reading, 'reduce'>, object: JsonObject): JsonObject {
  if (reduce === undefined) return object;
  try {
    return reduce(object);
  } catch (error) {
    const name = error instanceof Error ? textOf(error.name) : typeof error;
    throw new Error(`it could not be reduced to what is needed of it (${name})`);
  }
}
