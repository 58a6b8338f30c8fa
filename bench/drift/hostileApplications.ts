import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject } from '@weeder/kube-runtime/base';
import type { Cluster } from '../../test/cluster/support/plane/access.ts';

/** A kind of hostile application: its manifests, and how its objects are changed continuously. */
interface HostileKind {
  readonly name: string;
  readonly manifests: () => readonly JsonObject[];
  /** The object that another client keeps changing: `collection/name` in the namespace, and the patches. */
  readonly write?: {
    readonly path: string;
    readonly patch: (iteration: number) => JsonObject;
    /** The interval. The API server itself needs up to a second for a large object. Milliseconds. */
    readonly every: number;
  };
}

const configMap = (name: string, data: JsonObject): JsonObject => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  metadata: { name },
  data,
});

const many = (count: number) => Array.from({ length: count }, (_, index) => index);

const labels = { app: 'deep' };
const container = { name: 'main', image: 'registry.invalid/deep:1' };
const env = many(5_000).map((index) => ({ name: `NAME_${index}`, value: 'value' }));
const deployment: JsonObject = {
  apiVersion: 'apps/v1',
  kind: 'Deployment',
  metadata: { name: 'deep' },
  spec: {
    replicas: 0,
    selector: { matchLabels: labels },
    template: { metadata: { labels }, spec: { containers: [{ ...container, env }] } },
  },
};

export const hostileKinds: readonly HostileKind[] = [
  {
    name: 'kinds that do not exist',
    manifests: () =>
      many(500).map((index) => ({
        apiVersion: `${index % 2 === 0 ? 'apps' : 'made.example.org'}/v1`,
        kind: `Made${index}`,
        metadata: { name: `made-${index}` },
      })),
  },
  {
    name: 'a manifest of 700 KB with 25,000 keys that changes continuously',
    manifests: () => [
      configMap('huge', Object.fromEntries(many(25_000).map((index) => [`key-${index}`, 'some value']))),
    ],
    write: {
      path: 'api/v1/configmaps/huge',
      patch: (iteration) => ({ data: { 'key-1': `other ${iteration}` } }),
      every: 10_000,
    },
  },
  {
    name: 'fifty objects, one of which another client keeps changing',
    manifests: () => many(50).map((index) => configMap(`fought-${index}`, { word: 'desired' })),
    write: {
      path: 'api/v1/configmaps/fought-0',
      patch: (iteration) => ({ data: { [`word-${iteration % 7}`]: 'x', word: 'x' } }),
      every: 100,
    },
  },
  {
    name: 'two hundred manifests that are refused',
    manifests: () =>
      many(200).map((index) => ({
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: `refused-${index}` },
        spec: { ports: [{ port: 700_000 }] },
      })),
  },
  {
    name: 'a list of five thousand elements with keys that changes continuously',
    manifests: () => [deployment],
    write: {
      path: 'apis/apps/v1/deployments/deep',
      every: 10_000,
      patch: (iteration) => ({
        spec: {
          template: {
            spec: { containers: [{ ...container, env: [...env, { name: 'MORE', value: `${iteration}` }] }] },
          },
        },
      }),
    },
  },
];

const mergePatch = 'application/merge-patch+json';
export function hostileNamespace(index: number): string {
  return `hostile-${index}`;
}

/** Creates this many applications, of all kinds in turn, each in its own namespace. */
export async function createHostile(cluster: Cluster, count: number): Promise<void> {
  for (const index of many(count)) {
    const manifests = hostileKinds[index % hostileKinds.length]?.manifests() ?? [];
    await cluster.api('POST', `/apis/weeder.dev/v1alpha1/namespaces/${hostileNamespace(index)}/applications`, {
      apiVersion: 'weeder.dev/v1alpha1',
      kind: 'Application',
      metadata: { name: 'hostile' },
      spec: { manifests },
    });
  }
}

/** Creates the contested objects before the applications, so that their cost is not attributed to them. */
export async function createContested(cluster: Cluster, count: number): Promise<void> {
  for (const index of many(count)) {
    const { write, manifests } = hostileKinds[index % hostileKinds.length] ?? {};
    const [first] = write === undefined ? [] : (manifests?.() ?? []);
    if (write === undefined || first === undefined) continue;
    const collection = pathOf(write.path, index).split('/').slice(0, -1).join('/');
    await cluster.api('POST', collection, first);
  }
}

function pathOf(path: string, index: number): string {
  const [root = '', group = '', ...rest] = path.split('/');
  const [version, plural, name] = root === 'api' ? [group, ...rest] : rest;
  const prefix = root === 'api' ? `/api/${version}` : `/apis/${group}/${version}`;
  return `${prefix}/namespaces/${hostileNamespace(index)}/${plural}/${name}`;
}

/** Changes the contested objects until the returned function is called. */
export function startWriters(cluster: Cluster, count: number): () => Promise<void> {
  const stop = new AbortController();
  const writers = many(count).map(async (index) => {
    const { write } = hostileKinds[index % hostileKinds.length] ?? {};
    for (let iteration = 0; write !== undefined && !stop.signal.aborted; iteration += 1) {
      await cluster.send('PATCH', pathOf(write.path, index), { body: write.patch(iteration), contentType: mergePatch });
      await pause(write.every, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  });
  return async () => {
    stop.abort();
    await Promise.all(writers);
  };
}

/** Retries once, because a connection that was idle for seconds may be closed. */
async function withRetry(request: () => Promise<unknown>): Promise<void> {
  await request().catch(request);
}

/** Deletes the applications and their objects, without the help of weeder. */
export async function removeHostile(cluster: Cluster, count: number): Promise<void> {
  for (const index of many(count)) {
    const home = `/namespaces/${hostileNamespace(index)}`;
    const application = `/apis/weeder.dev/v1alpha1${home}/applications/hostile`;
    const unfinalized = { body: { metadata: { finalizers: null } }, contentType: mergePatch };
    await withRetry(() => cluster.send('PATCH', application, unfinalized));
    await withRetry(() => cluster.send('DELETE', application));
    for (const collection of [`/api/v1${home}/configmaps`, `/apis/apps/v1${home}/deployments`])
      await withRetry(() => cluster.send('DELETE', collection));
  }
}
