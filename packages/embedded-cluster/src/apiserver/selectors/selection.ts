import { failed, ok } from '../../base/result.ts';
import type { KubeObject } from '../meta/objects.ts';
import { badRequest, type Outcome } from '../meta/status.ts';
import type { Resource } from '../registry/resource.ts';
import { parseFieldSelector } from './fieldSelector.ts';
import { parseLabelSelector } from './labelSelector.ts';

/** Which objects of a resource are meant. */
export interface Selection {
  /** Undefined: all namespaces. */
  readonly namespace: string | undefined;
  readonly matches: (object: KubeObject) => boolean;
  /** Everything matches. */
  readonly isAll: boolean;
}

/** Reads the selectors of a request, in the text form of the API. Fails with 400. */
export function select(
  resource: Resource,
  namespace: string | undefined,
  labelSelector: string,
  fieldSelector: string,
): Outcome<Selection> {
  const labels = parseLabelSelector(labelSelector);
  if (!labels.ok) return failed(badRequest(labels.problem));
  const fields = parseFieldSelector(resource, fieldSelector);
  if (!fields.ok) return failed(badRequest(fields.problem));
  return ok({
    namespace,
    matches: (object) => labels.matches(object.metadata.labels) && fields.matches(object),
    isAll: labelSelector.trim() === '' && fieldSelector === '',
  });
}
