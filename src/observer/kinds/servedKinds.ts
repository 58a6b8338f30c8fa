import { arrayOf, type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import type { RestMapping } from '../plan/resourceApi.ts';

/** The kinds that the API server serves in one group version. */
export interface ServedVersion {
  readonly kinds: ReadonlyMap<string, RestMapping>;
  /** The API server behind it does not respond, so kinds that are not listed may exist. */
  readonly isStale: boolean;
}

/**
 * The served apiVersions by group, the preferred one first. Undefined: the version is served, and its kinds are not
 * known yet.
 */
export type ServedGroups = ReadonlyMap<string, ReadonlyMap<string, ServedVersion | undefined>>;

/** `v1` belongs to the core group, which has no name. */
export function groupVersionOf(apiVersion: string): { readonly group: string; readonly version: string } {
  const [first = '', second] = apiVersion.split('/');
  return second === undefined ? { group: '', version: first } : { group: first, version: second };
}

/** The `Accept` header for aggregated discovery: v2 since Kubernetes 1.30, v2beta1 since 1.26, none before. */
export const aggregatedForm = [
  ...['v2', 'v2beta1'].map((version) => `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`),
  'application/json',
].join(',');

/**
 * Reads an APIGroupDiscoveryList, which has everything below `/api` or `/apis`. Returns undefined if the response has
 * another form. A stale version keeps what was known `before`, because the response has its last known state or
 * nothing.
 */
export function readAggregated(body: unknown, before: ServedGroups): ServedGroups | undefined {
  const { kind, items } = objectOf(body);
  if (kind !== 'APIGroupDiscoveryList') return undefined;
  const groups = new Map<string, ReadonlyMap<string, ServedVersion>>();
  for (const item of arrayOf(items).map(objectOf)) {
    const group = textOf(objectOf(item['metadata'])['name']) ?? '';
    const versions = new Map<string, ServedVersion>();
    for (const versionItem of arrayOf(item['versions']).map(objectOf)) {
      const version = textOf(versionItem['version']);
      if (version === undefined) continue;
      const apiVersion = group === '' ? version : `${group}/${version}`;
      const isStale = versionItem['freshness'] === 'Stale';
      const kinds = kindsAmong(apiVersion, versionItem['resources'], aggregatedRow);
      const kindsBefore = isStale ? (before.get(group)?.get(apiVersion)?.kinds ?? []) : [];
      versions.set(apiVersion, { kinds: new Map([...kindsBefore, ...kinds]), isStale });
    }
    groups.set(group, versions);
  }
  return groups;
}

/** Reads the APIGroupList of `/apis` or the APIVersions of `/api`, which have names only. */
export function readGroupNames(body: unknown): ServedGroups {
  const { groups, versions } = objectOf(body);
  const core = arrayOf(versions).filter((each) => typeof each === 'string');
  const named = arrayOf(groups).map((group) => {
    const { name, preferredVersion, versions } = objectOf(group);
    const groupVersions = [preferredVersion, ...arrayOf(versions)].flatMap(
      (one) => textOf(objectOf(one)['groupVersion']) ?? [],
    );
    return [textOf(name) ?? '', groupVersions] as const;
  });
  const listed = core.length === 0 ? named : [['', core] as const];
  return new Map(listed.map(([group, its]) => [group, new Map(its.map((apiVersion) => [apiVersion, undefined]))]));
}

/** Reads the APIResourceList of one group version. */
export function readResourceList(apiVersion: string, body: unknown): ServedVersion {
  return { kinds: kindsAmong(apiVersion, objectOf(body)['resources'], listRow), isStale: false };
}

type Row = Pick<RestMapping, 'kind' | 'plural' | 'isNamespaced'>;

/** Returns the kinds that can be applied, read and deleted by name. */
function kindsAmong(apiVersion: string, rows: unknown, read: (row: JsonObject) => Row | undefined) {
  const kinds = new Map<string, RestMapping>();
  for (const row of arrayOf(rows).map(objectOf)) {
    const kind = read(row);
    const verbs = new Set(arrayOf(row['verbs']));
    if (kind === undefined || kinds.has(kind.kind)) continue;
    if (['get', 'patch', 'delete'].every((verb) => verbs.has(verb)))
      kinds.set(kind.kind, { ...groupVersionOf(apiVersion), ...kind });
  }
  return kinds;
}

function aggregatedRow({ resource, responseKind, scope }: JsonObject): Row | undefined {
  const [plural, kind] = [textOf(resource), textOf(objectOf(responseKind)['kind'])];
  return plural === undefined || kind === undefined
    ? undefined
    : { plural, kind, isNamespaced: scope === 'Namespaced' };
}

/** The names of subresources have a slash. */
function listRow({ name, kind: itemKind, namespaced }: JsonObject): Row | undefined {
  const [plural, kind] = [textOf(name), textOf(itemKind)];
  if (plural === undefined || kind === undefined || plural.includes('/')) return undefined;
  return { plural, kind, isNamespaced: namespaced === true };
}
