import type { Clock } from '@weeder/kube-runtime/base';
import type { ApiFailure, KubeClient } from '@weeder/kube-runtime/client';
import { describeFailure } from '@weeder/kube-runtime/client';
import { groupVersionPath } from '@weeder/kube-runtime/objects';
import { singleFlight } from '../../base/promises.ts';
import { done, failed, type Outcome } from '../objects/applyFailure.ts';
import { listed } from '../objects/wording.ts';
import type { RestMapping } from '../plan/resourceApi.ts';
import {
  aggregatedForm,
  groupVersionOf,
  readAggregated,
  readGroupNames,
  readResourceList,
  type ServedGroups,
  type ServedVersion,
} from './servedKinds.ts';
import { createSharedRead, type SharedRead } from './sharedRead.ts';

/** The kinds that are served below `/api` or `/apis`. */
interface DiscoveryRoot {
  readonly shared: SharedRead;
  /** Looks a kind up in the last response. If only the name of its version is known, this takes one request. */
  lookUp(apiVersion: string, kind: string): Promise<Outcome<RestMapping>>;
  /** Answers without a request. */
  isKnown(apiVersion: string, kind: string): boolean;
  /** Returns all kinds of the last response, each in one version, the preferred one if it has the kind. */
  allKinds(): Promise<Outcome<readonly RestMapping[]>>;
  /** The preferred version comes first. */
  versionsOf(group: string): readonly string[];
}

/** The discovery document of a cluster with very many kinds has some megabytes. */
const timeoutMs = 30_000;

/**
 * One document has all kinds for all applications. It is fetched again only if its ETag has changed. An API server
 * without aggregated discovery returns the names of the groups instead, and then each version in use is fetched
 * separately.
 */
export function discoveryRoot(
  path: '/api' | '/apis',
  client: KubeClient,
  clock: Clock,
  onWaiting?: (isWaiting: boolean) => void,
): DiscoveryRoot {
  let groups: ServedGroups = new Map();
  let etag: string | undefined;

  async function read(): Promise<Outcome<undefined>> {
    const result = await client.call({
      method: 'GET',
      path,
      accept: aggregatedForm,
      timeoutMs,
      ...(etag === undefined ? {} : { etag }),
    });
    if (!result.ok) return refused(result.failure);
    if (result.status === 304) return done(undefined);
    const aggregated = readAggregated(result.body, groups);
    etag = aggregated === undefined ? undefined : result.etag;
    groups = aggregated ?? (await withLists(readGroupNames(result.body)));
    return done(undefined);
  }

  /** Fetches the versions in use: those that were fetched before, and those that a caller waits for. */
  async function withLists(names: ServedGroups): Promise<ServedGroups> {
    const awaited = new Set(shared.awaited());
    const read = new Map<string, Map<string, ServedVersion | undefined>>();
    for (const [group, versions] of names) {
      const servedVersions = new Map<string, ServedVersion | undefined>();
      for (const apiVersion of versions.keys()) {
        const before = groups.get(group)?.get(apiVersion);
        const isInUse = before !== undefined || awaited.has(apiVersion);
        servedVersions.set(apiVersion, isInUse ? await readList(apiVersion, before) : undefined);
      }
      read.set(group, servedVersions);
    }
    return read;
  }

  /** A version that does not respond keeps its last known kinds. */
  async function readList(apiVersion: string, before: ServedVersion | undefined): Promise<ServedVersion> {
    const result = await client.call({ method: 'GET', path: groupVersionPath(apiVersion), timeoutMs });
    if (result.ok) return readResourceList(apiVersion, result.body);
    const isStale = result.failure.status !== 404;
    return { kinds: (isStale ? before?.kinds : undefined) ?? new Map(), isStale };
  }

  const load = singleFlight(async (apiVersion: string): Promise<ServedVersion> => {
    const version = await readList(apiVersion, undefined);
    const { group } = groupVersionOf(apiVersion);
    const versions = groups.get(group);
    if (versions?.has(apiVersion))
      groups = new Map([...groups, [group, new Map([...versions, [apiVersion, version]])]]);
    return version;
  });

  function refused(failure: ApiFailure): Outcome<never> {
    if (failure.type === 'cancelled') return failed('cancelled', failure.message);
    return transient(describeFailure(failure, client.server), failure.retryAfterMs);
  }

  /** Names the versions in which the kind is served, as far as they are known. */
  function missing(apiVersion: string, kind: string): Outcome<never> {
    const versions = [...(groups.get(groupVersionOf(apiVersion).group) ?? [])];
    const served = versions.flatMap(([version, its]) => (its?.kinds.has(kind) === true ? [version] : []));
    const instead = served.length === 0 ? '' : ` It serves ${kind} in ${listed(served)}.`;
    return failed('typeMissing', `The cluster has no ${kind} in ${apiVersion}.${instead}`);
  }

  const shared = createSharedRead({ clock, read, ...(onWaiting === undefined ? {} : { onWaiting }) });

  return {
    shared,
    isKnown: (apiVersion, kind) =>
      groups.get(groupVersionOf(apiVersion).group)?.get(apiVersion)?.kinds.has(kind) === true,
    versionsOf: (group) => [...(groups.get(group)?.keys() ?? [])],
    async allKinds() {
      const found = new Map<string, RestMapping>();
      for (const [apiVersion, known] of [...groups.values()].flatMap((versions) => [...versions])) {
        const { kinds, isStale } = known ?? (await load(apiVersion));
        if (isStale) return unavailable(apiVersion);
        for (const each of kinds.values()) {
          const key = `${each.group}/${each.kind}`;
          found.set(key, found.get(key) ?? each);
        }
      }
      return done([...found.values()]);
    },
    async lookUp(apiVersion, kind) {
      const versions = groups.get(groupVersionOf(apiVersion).group);
      if (versions?.has(apiVersion) !== true) return missing(apiVersion, kind);
      const { kinds, isStale } = versions.get(apiVersion) ?? (await load(apiVersion));
      const version = kinds.get(kind);
      if (version !== undefined) return done(version);
      if (!isStale) return missing(apiVersion, kind);
      return unavailable(apiVersion);
    },
  };
}

function unavailable(apiVersion: string): Outcome<never> {
  return transient(`The API server does not say what it serves of ${apiVersion}: its APIService is not available.`);
}

function transient(reason: string, retryAfter = 0): Outcome<never> {
  return { ok: false, failure: { type: 'transient', reason, retryAfter, fields: [] } };
}
