import type { Status } from '../meta/status.ts';
import type { Storage } from '../storage/storage.ts';
import type { Address } from './address.ts';
import type { Exchange } from './exchange.ts';
import { refusal, type User, userOf } from './rbac.ts';
import { type Verb, verbOf } from './requestLog.ts';

/** Returns the impersonated user; undefined if the request impersonates none. */
export function impersonated({ headers }: Exchange): User | undefined {
  const name = headers['impersonate-user'];
  if (typeof name !== 'string') return undefined;
  const groups = headers['impersonate-group'];
  return userOf(name, groups === undefined ? [] : String(groups).split(/,\s*/));
}

/**
 * Returns 403 if the impersonated user may not send this request. Paths that are not resources are allowed for all
 * users.
 */
export function impersonationRefusal(
  storage: Storage,
  exchange: Exchange,
  address: Address,
  verb: Verb = verbOf(exchange, address),
): Status | undefined {
  const user = impersonated(exchange);
  if (user === undefined || address.type !== 'resource') return undefined;
  const { resource, namespace, name, subresource } = address;
  return refusal(storage, user, { verb, resource, namespace, name, subresource });
}
