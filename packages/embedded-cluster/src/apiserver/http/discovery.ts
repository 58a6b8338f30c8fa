import type { Resource } from '../registry/resource.ts';

const version = {
  major: '1',
  minor: '36',
  gitVersion: 'v1.36.0-weeder.embedded',
  gitCommit: '',
  gitTreeState: 'clean',
  buildDate: '1970-01-01T00:00:00Z',
  goVersion: 'none',
  compiler: 'none',
  platform: `${process.platform}/${process.arch}`,
};

const checks = new Set(['/healthz', '/livez', '/readyz']);

/** Returns the response to `/version`, health checks and discovery; undefined for other paths. */
export function discover(resources: readonly Resource[], requested: string): object | 'ok' | undefined {
  const path = requested.startsWith('/api') ? requested.replace(/\/$/, '') : requested;
  if (checks.has(path)) return 'ok';
  if (path === '/version') return version;
  if (path === '/api') return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
  if (path === '/apis')
    return {
      kind: 'APIGroupList',
      apiVersion: 'v1',
      groups: groupsOf(resources).map((name) => groupOf(resources, name)),
    };
  const [, root, group = '', groupVersion, ...more] = path.split('/');
  if (more.length > 0) return undefined;
  if (root === 'api' && group === 'v1') return resourceList(resources, '', 'v1');
  if (root !== 'apis' || !groupsOf(resources).includes(group)) return undefined;
  if (groupVersion === undefined) return { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(resources, group) };
  return resourceList(resources, group, groupVersion);
}

export function groupsOf(resources: readonly Resource[]): readonly string[] {
  return [...new Set(resources.map(({ group }) => group))].filter((group) => group !== '');
}

function groupOf(resources: readonly Resource[], name: string) {
  const served = new Set(resources.filter(({ group }) => group === name).map(({ version }) => version));
  const versions = [...served].map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions, preferredVersion: versions[0] };
}

function resourceList(resources: readonly Resource[], group: string, version: string): object | undefined {
  const inVersion = resources.filter((each) => each.group === group && each.version === version);
  if (inVersion.length === 0) return undefined;
  const groupVersion = group === '' ? version : `${group}/${version}`;
  return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: inVersion.flatMap(rowsOf) };
}

const subresourceKinds = {
  eviction: { group: 'policy', version: 'v1', kind: 'Eviction', verbs: ['create'] },
  scale: { group: 'autoscaling', version: 'v1', kind: 'Scale', verbs: ['get', 'patch', 'update'] },
};

export function verbsOf({ hasCollectionDeletion }: Resource): readonly string[] {
  const verbs = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
  return hasCollectionDeletion ? verbs : verbs.filter((verb) => verb !== 'deletecollection');
}

/** Returns the subresources with their verbs, and with their kind if it differs from that of the resource. */
export function subresourcesOf({ hasStatus, subresources }: Resource) {
  return [
    ...subresources.map((name) => ({ name, ...subresourceKinds[name] })),
    ...(hasStatus ? [{ name: 'status', verbs: ['get', 'patch', 'update'] }] : []),
  ];
}

function rowsOf(resource: Resource) {
  const { plural, singular, kind, isNamespaced: namespaced, shortNames } = resource;
  return [
    {
      name: plural,
      singularName: singular,
      namespaced,
      kind,
      verbs: verbsOf(resource),
      ...(shortNames.length === 0 ? {} : { shortNames }),
    },
    ...subresourcesOf(resource).map(({ name, ...rest }) => ({
      name: `${plural}/${name}`,
      singularName: '',
      namespaced,
      kind,
      ...rest,
    })),
  ];
}
