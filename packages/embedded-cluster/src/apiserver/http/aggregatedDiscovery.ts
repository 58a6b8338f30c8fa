import { createHash } from 'node:crypto';
import type { Resource } from '../registry/resource.ts';
import { groupsOf, subresourcesOf, verbsOf } from './discovery.ts';
import { type Exchange, sendJson } from './exchange.ts';

const forms = ['v2', 'v2beta1'] as const;

/** Responds to `/api` and `/apis` with aggregated discovery; returns false if the client does not prefer it. */
export function serveAggregated(resources: readonly Resource[], exchange: Exchange): boolean {
  const { path, headers, response } = exchange;
  const root = path.replace(/\/$/, '');
  if (root !== '/api' && root !== '/apis') return false;
  const version = formOf(headers.accept ?? '');
  response.setHeader('vary', 'Accept');
  if (version === undefined) return false;
  const groups = root === '/api' ? [''] : groupsOf(resources);
  const list = {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map((group) => groupOf(resources, group)),
  };
  const json = JSON.stringify(list);
  const etag = `"${createHash('sha512').update(json).digest('hex').toUpperCase()}"`;
  response.setHeader('etag', etag);
  if (headers['if-none-match'] === etag) {
    response.writeHead(304, { 'cache-control': 'public' });
    response.end();
    return true;
  }
  const type = `application/json;g=apidiscovery.k8s.io;v=${version};as=APIGroupDiscoveryList`;
  sendJson(exchange, 200, json, type);
  return true;
}

/** Returns the preferred version; undefined if the client prefers the unaggregated form. */
function formOf(accept: string): (typeof forms)[number] | undefined {
  for (const range of accept.split(',').map((each) => each.replaceAll(' ', ''))) {
    const [type, ...parameters] = range.split(';');
    if (type !== 'application/json' && type !== '*/*') continue;
    if (!parameters.includes('as=APIGroupDiscoveryList')) return undefined;
    if (!parameters.includes('g=apidiscovery.k8s.io')) continue;
    const version = forms.find((each) => parameters.includes(`v=${each}`));
    if (version !== undefined) return version;
  }
  return undefined;
}

function groupOf(resources: readonly Resource[], group: string) {
  const inGroup = resources.filter((each) => each.group === group);
  const versions = [...new Set(inGroup.map(({ version }) => version))];
  return {
    // The core group has no name.
    metadata: { ...(group === '' ? {} : { name: group }), creationTimestamp: null },
    versions: versions.map((version) => ({
      version,
      resources: inGroup.filter((each) => each.version === version).map(resourceOf),
      freshness: 'Current',
    })),
  };
}

function resourceOf(resource: Resource) {
  const { kind, plural, singular, isNamespaced, shortNames, isCustom } = resource;
  // For built-in kinds the document omits the group and version.
  const { group, version } = isCustom ? resource : { group: '', version: '' };
  const subresources = subresourcesOf(resource).map(({ name, verbs, ...rest }) => ({
    subresource: name,
    responseKind: { group, version, kind, ...rest },
    verbs,
  }));
  return {
    resource: plural,
    responseKind: { group, version, kind },
    scope: isNamespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: verbsOf(resource),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(subresources.length === 0 ? {} : { subresources }),
  };
}
