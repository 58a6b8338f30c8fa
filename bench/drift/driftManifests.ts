/** The resources of the benchmark of the observer, which weeder and the bare script apply. */

/** Each round changes another field of a resource, because the second correction of a field is delayed. */
export const rounds = ['warm', 'single', 'many', 'all'] as const;
export type Round = (typeof rounds)[number];

export const desired = 'as-applied';
/** No manifest has this text: an object with it is drifted. */
export const drifted = 'drifted';

export interface BenchManifest {
  readonly apiVersion: string;
  readonly kind: Kind;
  readonly metadata: { readonly name: string; readonly namespace: string; readonly labels: { readonly app: string } };
}

const kinds = {
  ConfigMap: { collection: '/api/v1', plural: 'configmaps' },
  Service: { collection: '/api/v1', plural: 'services' },
  Deployment: { collection: '/apis/apps/v1', plural: 'deployments' },
} as const;
export type Kind = keyof typeof kinds;

/** The collections of all kinds. */
export const collections: readonly string[] = Object.values(kinds).map(
  ({ collection, plural }) => `${collection}/${plural}`,
);

/** The default number of resources of an application. Other numbers are multiples of it. */
export const resourcesEach = 5;
const applicationsEach = 50;

/** The namespace of an application, which it shares with others. */
export function namespaceOf(application: number): string {
  return `team-${Math.floor(application / applicationsEach)}`;
}

/** Two ConfigMaps, two Services and a Deployment without pods, repeated until there are `count` resources. */
export function manifestsOf(application: number, count = resourcesEach): readonly BenchManifest[] {
  return groupNames(application, count).flatMap((name) => groupOf(name, namespaceOf(application)));
}

/** The names of the groups of resources. A single group has the name of the application. */
function groupNames(application: number, count: number): readonly string[] {
  const names = Array.from({ length: count / resourcesEach }, (_, group) => `app-${application}-${group}`);
  return count === resourcesEach ? [`app-${application}`] : names;
}

function groupOf(app: string, namespace: string): readonly BenchManifest[] {
  const data = { ...fields((round) => round), text: 'x'.repeat(500) };
  const ports = [
    { name: 'http', port: 80 },
    { name: 'metrics', port: 9090 },
  ];
  const selector = { app, ...fields((round) => round) };
  const spec = { clusterIP: 'None', selector, ports };
  const manifest = (kind: Kind, name: string, rest: object): BenchManifest => ({
    apiVersion: kind === 'Deployment' ? 'apps/v1' : 'v1',
    kind,
    metadata: { name, namespace, labels: { app } },
    ...rest,
  });
  return [
    manifest('ConfigMap', `${app}-settings`, { data }),
    manifest('Service', app, { spec }),
    manifest('Deployment', app, { spec: deploymentSpec(app) }),
    manifest('ConfigMap', `${app}-rules`, { data }),
    manifest('Service', `${app}-admin`, { spec }),
  ];
}

function fields(name: (round: Round) => string): Record<string, string> {
  return Object.fromEntries(rounds.map((round) => [name(round), desired]));
}

function deploymentSpec(app: string): object {
  const env = rounds.map((round) => ({ name: round, value: desired }));
  const container = {
    name: 'app',
    image: 'shop/app:1',
    env,
    ports: [{ name: 'http', containerPort: 8080 }],
    resources: { requests: { cpu: '100m', memory: '64Mi' }, limits: { memory: '128Mi' } },
    readinessProbe: { httpGet: { path: '/ready', port: 'http' } },
  };
  const template = { metadata: { labels: { app } }, spec: { containers: [container] } };
  return { replicas: 0, selector: { matchLabels: { app } }, template };
}

/** Observes only the image and the env of the Deployments, and all of the other resources. */
export function observerSchemaOf(application: number, count = resourcesEach): readonly object[] {
  const leaf = 'observed';
  const bounds = { observer_schema_list_min_length: rounds.length, observer_schema_list_max_length: rounds.length };
  const env = [...rounds.map(() => ({ name: leaf, value: leaf })), bounds];
  const one = { observer_schema_list_min_length: 1, observer_schema_list_max_length: 1 };
  const containers = [{ name: leaf, image: leaf, env }, one];
  const namespace = namespaceOf(application);
  return groupNames(application, count).map((name) => ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace },
    spec: { template: { spec: { containers } } },
  }));
}

/** A key that is unique for each resource. */
export function keyOf({ kind, metadata }: Pick<BenchManifest, 'kind' | 'metadata'>): string {
  return `${kind} ${metadata.namespace}/${metadata.name}`;
}

export function pathOf({ kind, metadata }: BenchManifest): string {
  const { collection, plural } = kinds[kind];
  return `${collection}/namespaces/${metadata.namespace}/${plural}/${metadata.name}`;
}

/** The edit that causes drift: a strategic merge patch. */
export function editOf({ kind }: BenchManifest, round: Round): object {
  if (kind === 'ConfigMap') return { data: { [round]: drifted } };
  if (kind === 'Service') return { spec: { selector: { [round]: drifted } } };
  const containers = [{ name: 'app', env: [{ name: round, value: drifted }] }];
  return { spec: { template: { spec: { containers } } } };
}
