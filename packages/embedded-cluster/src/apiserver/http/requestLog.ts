import type { Address } from './address.ts';
import type { Exchange } from './exchange.ts';

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection' | 'other';

/** A request, by what it did. */
export interface LoggedRequest {
  readonly verb: Verb;
  /** `pods`, `pods/status`; empty if the path is no resource. */
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
  /** The number of such requests since the start. */
  count(verb: Verb, resource: string): number;
  /** As `count`, of the requests that impersonate this user. */
  countAs(user: string, verb: Verb, resource: string): number;
}

interface WritableRequestLog extends RequestLog {
  note(exchange: Exchange, address: Address): void;
}

const kept = 1_000;

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
    note(exchange, address) {
      const entry = entryOf(exchange, address);
      const key = `${entry.verb} ${entry.resource}`;
      for (const each of entry.user === undefined ? [key] : [key, `${key} ${entry.user}`]) {
        counts.set(each, (counts.get(each) ?? 0) + 1);
      }
      latest.push(entry);
      if (latest.length >= 2 * kept) latest = latest.slice(-kept);
    },
    count: (verb, resource) => counts.get(`${verb} ${resource}`) ?? 0,
    countAs: (user, verb, resource) => counts.get(`${verb} ${resource} ${user}`) ?? 0,
    get latest() {
      return latest.slice(-kept);
    },
  };
}

function entryOf(exchange: Exchange, address: Address): LoggedRequest {
  const { request } = exchange;
  const user = request.headers['impersonate-user'];
  const common = { url: request.url ?? '/', user: typeof user === 'string' ? user : undefined };
  if (address.kind !== 'resource') return { verb: 'other', resource: '', ...common };
  const { resource, subresource } = address;
  return {
    verb: verbOf(exchange, address),
    resource: subresource === undefined ? resource.plural : `${resource.plural}/${subresource}`,
    ...common,
  };
}

/** The verb of RBAC and audit logs for a request. */
export function verbOf({ method, query }: Exchange, address: Address): Verb {
  if (address.kind !== 'resource') return 'other';
  const plain = verbs[method] ?? 'other';
  const onCollection: Verb = plain === 'delete' ? 'deletecollection' : query.has('watch') ? 'watch' : 'list';
  const isOnCollection = address.name === undefined && (plain === 'get' || plain === 'delete');
  return isOnCollection ? onCollection : plain;
}
