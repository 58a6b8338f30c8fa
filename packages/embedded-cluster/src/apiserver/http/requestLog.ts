import type { Address } from './address.ts';
import type { Exchange } from './exchange.ts';

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection' | 'other';

/** A logged request. */
export interface LoggedRequest {
  readonly verb: Verb;
  /** `pods`, `pods/status`; empty if the path is not a resource. */
  readonly resource: string;
  /** With the query string. */
  readonly url: string;
  /** The impersonated user, or undefined. */
  readonly user: string | undefined;
}

/** The requests of clients, for assertions in tests. */
export interface RequestLog {
  /** The latest requests, oldest first. */
  readonly latest: readonly LoggedRequest[];
  /** Returns the number of requests since the server was created. */
  count(verb: Verb, resource: string): number;
  /** As `count`, for the requests that impersonate this user. */
  countAs(user: string, verb: Verb, resource: string): number;
}

interface WritableRequestLog extends RequestLog {
  record(exchange: Exchange, address: Address): void;
}

const latestLimit = 1_000;

const verbs: Readonly<Record<string, Verb>> = {
  GET: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

export function requestLog(): WritableRequestLog {
  const counts = new Map<string, number>();
  let latest: LoggedRequest[] = [];
  return {
    record(exchange, address) {
      const entry = entryOf(exchange, address);
      const key = `${entry.verb} ${entry.resource}`;
      for (const counterName of entry.user === undefined ? [key] : [key, `${key} ${entry.user}`]) {
        counts.set(counterName, (counts.get(counterName) ?? 0) + 1);
      }
      latest.push(entry);
      if (latest.length >= 2 * latestLimit) latest = latest.slice(-latestLimit);
    },
    count: (verb, resource) => counts.get(`${verb} ${resource}`) ?? 0,
    countAs: (user, verb, resource) => counts.get(`${verb} ${resource} ${user}`) ?? 0,
    get latest() {
      return latest.slice(-latestLimit);
    },
  };
}

function entryOf(exchange: Exchange, address: Address): LoggedRequest {
  const { headers, url } = exchange;
  const user = headers['impersonate-user'];
  const common = { url, user: typeof user === 'string' ? user : undefined };
  if (address.type !== 'resource') return { verb: 'other', resource: '', ...common };
  const { resource, subresource } = address;
  return {
    verb: verbOf(exchange, address),
    resource: subresource === undefined ? resource.plural : `${resource.plural}/${subresource}`,
    ...common,
  };
}

/** Returns the verb of a request as in RBAC and audit logs. */
export function verbOf({ method, query }: Exchange, address: Address): Verb {
  if (address.type !== 'resource') return 'other';
  const verb = verbs[method] ?? 'other';
  const onCollection: Verb = verb === 'delete' ? 'deletecollection' : query.has('watch') ? 'watch' : 'list';
  const isOnCollection = address.name === undefined && (verb === 'get' || verb === 'delete');
  return isOnCollection ? onCollection : verb;
}
