import { arrayOf, type JsonObject, objectOf } from '@weeder/kube-runtime/base';
import type { ApiRequest, ApiResult } from '@weeder/kube-runtime/client';
import type { Refusal } from '@weeder/kube-runtime/testing';
import type { ResourceApi } from '../../../src/observer/plan/resourceApi.ts';

/** A procedure of the observer about a resource, such as a correction. It may send several requests. */
export interface ObserverRequest {
  readonly at: number;
  readonly what: Exclude<keyof ResourceApi, 'may' | 'tryPatch'>;
  readonly key: string;
  readonly account: string | undefined;
}

/**
 * What happens to requests. A key is a procedure (`create`), a procedure and its object (`create Deployment/web`),
 * `probe` (the dry run of a new object), `get` and `patch` (the access reviews), `application`, `status`, `account`, `find` (discovery), or the path of a
 * request. The writes and dry runs of a procedure count, and the reads of `read`.
 */
export interface ObserverFaults {
  /** How the request is refused. */
  readonly refusals: Map<string, Refusal>;
  /** How long it takes until it arrives. Milliseconds. */
  readonly slow: Map<string, number>;
  /** How long its response takes after it was executed. Milliseconds. */
  readonly lateReplies: Map<string, number>;
  /** How long every request of a procedure takes. Milliseconds. */
  requestTime: number;
  /** API groups whose server does not respond. */
  readonly unavailable: Set<string>;
  /** The accounts that do not exist, such as `shop/deployer`. */
  readonly missingAccounts: Set<string>;
  /** How a manifest is refused, however it is applied; undefined: it is accepted. */
  rejects: (manifest: JsonObject) => Refusal | undefined;
}

/** The requests that were sent. */
export interface ObserverRequests {
  readonly requests: ObserverRequest[];
  /** The access reviews of accounts: `get kind Deployment/web`, `tryPatch Deployment/web`. */
  readonly accessReviews: string[];
  /** The accounts that were looked up. */
  readonly accountLookups: string[];
  /** The maximum number of procedures in flight. */
  maxInFlight: number;
}

/** Whether the procedure only reads, or is a dry run. */
export function isReadOnly(what: ObserverRequest['what']): boolean {
  return what === 'read' || what === 'dryRunApply' || what === 'dryRunAgain';
}

/** The further keys of a request that is not of a procedure. */
export function otherKeysOf({ method, path }: ApiRequest): readonly string[] | undefined {
  if (path === '/api' || path === '/apis') return ['find'];
  if (accountOf(path) !== undefined) return ['account'];
  if (!path.includes('/applications/')) return undefined;
  if (path.endsWith('/status')) return ['status'];
  return method === 'GET' ? ['application'] : undefined;
}

/** The account of a path, such as `shop/deployer`. */
export function accountOf(path: string): string | undefined {
  const [, namespace, name] = /^\/api\/v1\/namespaces\/([^/]+)\/serviceaccounts\/([^/]+)$/.exec(path) ?? [];
  return name === undefined ? undefined : `${namespace}/${name}`;
}

/** Says what the refusal is about: the object that the path names. */
export function about({ path }: ApiRequest, refusal: Refusal): Refusal {
  const isNamed = refusal.status === 409 || (refusal.status === 404 && refusal.details !== undefined);
  if (!isNamed) return refusal;
  const [kind, name] = path.split('/').slice(-2);
  const [, group = ''] = /^\/apis\/([^/]+)\//.exec(path) ?? [];
  return { ...refusal, details: { kind, name, group, ...refusal.details } };
}

/** Aggregated discovery when the servers of these groups do not respond: no API server of this process is one. */
export function withStale(result: ApiResult, groups: ReadonlySet<string>): ApiResult {
  if (!result.ok || groups.size === 0) return result;
  const { items, ...list } = objectOf(result.body);
  const stale = arrayOf(items)
    .map(objectOf)
    .map((item) => {
      if (!groups.has(String(objectOf(item['metadata'])['name']))) return item;
      const versions = arrayOf(item['versions']).map(objectOf);
      return { ...item, versions: versions.map((each) => ({ ...each, resources: [], freshness: 'Stale' })) };
    });
  return { ...result, etag: 'stale', body: { ...list, items: stale } };
}
