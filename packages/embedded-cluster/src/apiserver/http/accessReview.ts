import { type JsonObject, objectOf, textOf } from '../../base/json.ts';
import { ok } from '../../base/result.ts';
import type { Outcome } from '../meta/status.ts';
import type { Storage } from '../storage/storage.ts';
import { impersonated } from './authorize.ts';
import type { Exchange } from './exchange.ts';
import { allowed } from './rbac.ts';
import { objectBody } from './writes.ts';

const reviews = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';

/** Whether the request creates a SelfSubjectAccessReview. */
export function isAccessReview({ method, path }: Exchange): boolean {
  return method === 'POST' && path === reviews;
}

/**
 * Handles a SelfSubjectAccessReview. The access of an impersonated user depends on the roles; other users are allowed
 * everything. Fails with 400, 413, 415.
 */
export async function reviewAccess(
  storage: Storage,
  exchange: Exchange,
  isAuthorizing: boolean,
): Promise<Outcome<JsonObject>> {
  const body = await objectBody(exchange);
  if (!body.ok) return body;
  const review = objectOf(body.value);
  const spec = objectOf(review['spec']);
  const { verb, group, resource, namespace, name, subresource } = objectOf(spec['resourceAttributes']);
  const user = isAuthorizing ? impersonated(exchange) : undefined;
  const isAllowed =
    user === undefined ||
    allowed(storage, user, {
      verb: textOf(verb) ?? '',
      resource: { group: textOf(group) ?? '', plural: textOf(resource) ?? '' },
      namespace: textOf(namespace) || undefined,
      name: textOf(name) || undefined,
      subresource: textOf(subresource) || undefined,
    });
  return ok({ ...review, status: { allowed: isAllowed } });
}
