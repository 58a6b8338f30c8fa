import type { Address } from './address.ts';
import type { Exchange } from './exchange.ts';

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection' | 'other';

/** What was asked for. */
export interface LoggedRequest {
  readonly verb: Verb;
  /** `pods`, `pods/status`; empty for whatever is no resource. */
  readonly resource: string;
  /** With the query. */
  readonly url: string;
}

/** What clients asked for, for tests. */
export interface RequestLog {
  /** The latest requests, oldest first. */
  readonly latest: readonly LoggedRequest[];
  /** How often that was asked for since the start. */
  count(verb: Verb, resource: string): number;
}

export interface WritableRequestLog extends RequestLog {
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
      counts.set(key, (counts.get(key) ?? 0) + 1);
      latest.push(entry);
      if (latest.length >= 2 * kept) latest = latest.slice(-kept);
    },
    count: (verb, resource) => counts.get(`${verb} ${resource}`) ?? 0,
    get latest() {
      return latest.slice(-kept);
    },
  };
}

function entryOf({ method, query, request }: Exchange, address: Address): LoggedRequest {
  const url = request.url ?? '/';
  if (address.kind !== 'resource') return { verb: 'other', resource: '', url };
  const { resource, name, subresource } = address;
  const plain = verbs[method] ?? 'other';
  const onCollection: Verb = plain === 'delete' ? 'deletecollection' : query.has('watch') ? 'watch' : 'list';
  const isOnCollection = name === undefined && (plain === 'get' || plain === 'delete');
  return {
    verb: isOnCollection ? onCollection : plain,
    resource: subresource === undefined ? resource.plural : `${resource.plural}/${subresource}`,
    url,
  };
}
