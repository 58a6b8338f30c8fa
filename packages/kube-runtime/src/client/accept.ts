/** Whether whole objects are read or only their metadata (`meta.k8s.io/v1` PartialObjectMetadata). */
export type ObjectForm = 'object' | 'metadata';

const metadataOnly = (kind: string) => `application/json;as=${kind};g=meta.k8s.io;v=v1`;

/**
 * The `Accept` header of one request. A list and a watch or GET need different values: the other one is answered with
 * 406. The header has no fallback, because no objects are better than whole objects.
 */
export function acceptOf(form: ObjectForm | undefined, request: 'list' | 'watch' | 'get'): string {
  if (form !== 'metadata') return 'application/json';
  return metadataOnly(request === 'list' ? 'PartialObjectMetadataList' : 'PartialObjectMetadata');
}
