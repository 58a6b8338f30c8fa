import type { Status } from '../meta/status.ts';
import type { Storage } from '../storage/storage.ts';
import type { Address } from './address.ts';
import type { Exchange } from './exchange.ts';
import { refusal, type User, userOf } from './rbac.ts';
import { type Verb, verbOf } from './requestLog.ts';

/** The impersonated user; undefined if there is none, and everything is allowed. */
export function impersonated({ request }: Exchange): User | undefined {
  const name = request.headers['impersonate-user'];
  if (typeof name !== 'string') return undefined;
  const groups = request.headers['impersonate-group'];
  return userOf(name, groups === undefined ? [] : String(groups).split(/,\s*/));
}

/**
 * Returns 403 if the impersonated user is not allowed to do this; paths that are no resource are allowed for everyone.
 */
export function impersonationRefusal(
  storage: Storage,
  exchange: Exchange,
  address: Address,
  verb: Verb = verbOf(exchange, address),
): Status | undefined {
  const user = impersonated(exchange);
  if (user === undefined || address.kind !== 'resource') return undefined;
  const { resource, namespace, name, subresource } = address;
  return refusal(storage, user, { verb, resource, namespace, name, subresource });
}
