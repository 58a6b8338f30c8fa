import type { Clock } from '../clock.ts';
import { arrayOf, objectOf, textOf } from '../json.ts';
import type { KubeClient } from '../kube/client.ts';
import { describeFailure } from '../kube/describeFailure.ts';
import { done, failed, type Outcome } from './applyFailure.ts';
import { once } from './once.ts';
import type { Kind } from './resourceApi.ts';

/** What the API server serves of one group and version, by kind. */
type Served = ReadonlyMap<string, Kind>;

/** A kind that moves from one scope to another, or to another plural, is a new one of the same name: rare, but it is. */
const keptMs = 30_000;

/**
 * Which kinds the API server serves: one small request for each group and version that is in use, again when a kind is
 * not among them, or half a minute has passed. With weeder's own rights, which every account has here.
 *
 * Not the aggregated form of discovery: it is larger than all of these together, lags behind a new
 * CustomResourceDefinition, and is not served everywhere.
 */
export function discovery(client: KubeClient, clock: Clock) {
  const known = new Map<string, { readonly served: Served; readonly at: number }>();

  const read = once(async (apiVersion: string): Promise<Outcome<Served>> => {
    const result = await client.call({ method: 'GET', path: groupVersionPath(apiVersion) });
    if (result.ok) {
      const served = readServed(apiVersion, result.body);
      known.set(apiVersion, { served, at: clock.monotonic() });
      return done(served);
    }
    const { failure } = result;
    known.delete(apiVersion);
    const reason = describeFailure(failure, client.server);
    if (failure.kind === 'cancelled') return failed('cancelled', failure.message);
    // Of a group that it does not have, the server says it without a Status.
    return failure.status === 404
      ? failed('typeMissing', `The cluster has no ${apiVersion}.`)
      : { ok: false, failure: { is: 'transient', reason, retryAfter: failure.retryAfterMs ?? 0, fields: [] } };
  });

  /** `typeMissing`: it does not serve this kind, now. */
  return async function find(apiVersion: string, kind: string): Promise<Outcome<Kind>> {
    const kept = known.get(apiVersion);
    const isFresh = kept !== undefined && clock.monotonic() - kept.at < keptMs;
    const found = isFresh ? kept.served.get(kind) : undefined;
    if (found !== undefined) return done(found);
    const served = await read(apiVersion);
    if (!served.ok) return served;
    const now = served.value.get(kind);
    return now === undefined ? failed('typeMissing', `The cluster has no ${kind} in ${apiVersion}.`) : done(now);
  };
}

/** `v1` is of the core group, which stands by itself. */
export function groupVersionOf(apiVersion: string): { readonly group: string; readonly version: string } {
  const [first = '', second] = apiVersion.split('/');
  return second === undefined ? { group: '', version: first } : { group: first, version: second };
}

/** Where the API serves a group and version: `/api/v1`, `/apis/apps/v1`. */
export function groupVersionPath(apiVersion: string): string {
  const { group, version } = groupVersionOf(apiVersion);
  return group === ''
    ? `/api/${encodeURIComponent(version)}`
    : `/apis/${encodeURIComponent(group)}/${encodeURIComponent(version)}`;
}

/** An APIResourceList: what can be applied, read and deleted by name; subresources have a slash. */
function readServed(apiVersion: string, body: unknown): Served {
  const served = new Map<string, Kind>();
  for (const each of arrayOf(objectOf(body)['resources']).map(objectOf)) {
    const [plural, kind] = [textOf(each['name']), textOf(each['kind'])];
    if (plural === undefined || kind === undefined || plural.includes('/') || served.has(kind)) continue;
    const verbs = new Set(arrayOf(each['verbs']));
    if (!['get', 'patch', 'delete'].every((verb) => verbs.has(verb))) continue;
    served.set(kind, { ...groupVersionOf(apiVersion), kind, plural, isNamespaced: each['namespaced'] === true });
  }
  return served;
}
