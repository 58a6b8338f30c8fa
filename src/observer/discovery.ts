import type { Clock } from '../clock.ts';
import { arrayOf, objectOf, textOf } from '../json.ts';
import type { KubeClient } from '../kube/client.ts';
import { describeFailure } from '../kube/describeFailure.ts';
import type { ApiFailure } from '../kube/failure.ts';
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
    known.delete(apiVersion);
    return discoveryFailed(result.failure, client.server, `The cluster has no ${apiVersion}.`);
  });

  /** `typeMissing`: it does not serve this kind, now. */
  async function find(apiVersion: string, kind: string): Promise<Outcome<Kind>> {
    const kept = known.get(apiVersion);
    const isFresh = kept !== undefined && clock.monotonic() - kept.at < keptMs;
    const found = isFresh ? kept.served.get(kind) : undefined;
    if (found !== undefined) return done(found);
    return kindIn(await read(apiVersion), apiVersion, kind);
  }

  /** Nothing is taken from memory: this is asked where something that is known is no longer so. */
  async function findServed(group: string, kind: string): Promise<Outcome<Kind>> {
    const versions = await versionsOf(client, group);
    if (!versions.ok) return versions;
    let answer: Outcome<Kind> = failed('typeMissing', `The cluster has no ${kind} in any version of ${group || 'v1'}.`);
    for (const apiVersion of versions.value) {
      const found = kindIn(await read(apiVersion), apiVersion, kind);
      if (found.ok) return found;
      // It may be in the one that cannot be asked.
      if (found.failure.is !== 'typeMissing') answer = found;
    }
    return answer;
  }

  return { find, findServed };
}

function kindIn(served: Outcome<Served>, apiVersion: string, kind: string): Outcome<Kind> {
  if (!served.ok) return served;
  const found = served.value.get(kind);
  return found === undefined ? failed('typeMissing', `The cluster has no ${kind} in ${apiVersion}.`) : done(found);
}

/** The versions of a group that the API server serves, the preferred one first: `example.org/v2`. The core group has one. */
async function versionsOf(client: KubeClient, group: string): Promise<Outcome<readonly string[]>> {
  if (group === '') return done(['v1']);
  const result = await client.call({ method: 'GET', path: `/apis/${encodeURIComponent(group)}` });
  if (!result.ok)
    return discoveryFailed(result.failure, client.server, `The cluster does not have the group ${group}.`);
  const { preferredVersion, versions } = objectOf(result.body);
  const all = [preferredVersion, ...arrayOf(versions)].flatMap((each) => textOf(objectOf(each)['groupVersion']) ?? []);
  return done([...new Set(all)]);
}

/** Of a group or version that it does not have, the server says it without a Status. */
function discoveryFailed(failure: ApiFailure, server: string, missing: string): Outcome<never> {
  if (failure.kind === 'cancelled') return failed('cancelled', failure.message);
  if (failure.status === 404) return failed('typeMissing', missing);
  const reason = describeFailure(failure, server);
  return { ok: false, failure: { is: 'transient', reason, retryAfter: failure.retryAfterMs ?? 0, fields: [] } };
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
