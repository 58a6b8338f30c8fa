import { failed, ok } from '../../base/result.ts';
import type { KubeObject } from '../meta/objects.ts';
import { badRequest, type Outcome } from '../meta/status.ts';
import type { Resource } from '../registry/resource.ts';
import { parseFieldSelector } from './fieldSelector.ts';
import { parseLabelSelector } from './labelSelector.ts';

/** The objects that a request selects. */
export interface Selection {
  /** Undefined means all namespaces. */
  readonly namespace: string | undefined;
  readonly matches: (object: KubeObject) => boolean;
  /** Whether all objects match. */
  readonly isAll: boolean;
}

/** Parses the selectors of a request. Fails with 400. */
export function select(
  resource: Resource,
  namespace: string | undefined,
  labelSelector: string,
  fieldSelector: string,
): Outcome<Selection> {
  const labels = parseLabelSelector(labelSelector);
  if (!labels.ok) return failed(badRequest(labels.message));
  const fields = parseFieldSelector(resource, fieldSelector);
  if (!fields.ok) return failed(badRequest(fields.message));
  return ok({
    namespace,
    matches: (object) => labels.matches(object.metadata.labels) && fields.matches(object),
    isAll: labelSelector.trim() === '' && fieldSelector === '',
  });
}
