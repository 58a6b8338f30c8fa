import { setTimeout as pause } from 'node:timers/promises';
import type { JsonObject } from '../../src/base/json.ts';
import type { Cluster } from '../../test/cluster/support/plane/access.ts';

/** A kind of hostility: what an application of it holds, and what is done to its objects all the time. */
interface Hostility {
  readonly name: string;
  readonly manifests: () => readonly JsonObject[];
  /** The object that somebody keeps changing back, and how: `collection/name` in the namespace. */
  readonly write?: {
    readonly path: string;
    readonly patch: (turn: number) => JsonObject;
    /** Milliseconds. A change of a large object takes the API server itself up to a second. */
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

export const hostilities: readonly Hostility[] = [
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
    name: 'a manifest of 700 KB with 25,000 keys, changed all the time',
    manifests: () => [
      configMap('huge', Object.fromEntries(many(25_000).map((index) => [`key-${index}`, 'some value']))),
    ],
    write: { path: 'api/v1/configmaps/huge', patch: (turn) => ({ data: { 'key-1': `other ${turn}` } }), every: 10_000 },
  },
  {
    name: 'fifty objects, one of which somebody keeps changing',
    manifests: () => many(50).map((index) => configMap(`fought-${index}`, { word: 'wanted' })),
    write: {
      path: 'api/v1/configmaps/fought-0',
      patch: (turn) => ({ data: { [`word-${turn % 7}`]: 'x', word: 'x' } }),
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
    name: 'a list of five thousand elements with keys, changed all the time',
    manifests: () => [deployment],
    write: {
      path: 'apis/apps/v1/deployments/deep',
      every: 10_000,
      patch: (turn) => ({
        spec: {
          template: { spec: { containers: [{ ...container, env: [...env, { name: 'MORE', value: `${turn}` }] }] } },
        },
      }),
    },
  },
];

const mergePatch = 'application/merge-patch+json';
export function hostileNamespace(index: number): string {
  return `hostile-${index}`;
}

/** So many applications, of all hostilities in turn, each in a namespace of its own. */
export async function makeHostile(cluster: Cluster, count: number): Promise<void> {
  for (const index of many(count)) {
    const manifests = hostilities[index % hostilities.length]?.manifests() ?? [];
    await cluster.api('POST', `/apis/weeder.dev/v1alpha1/namespaces/${hostileNamespace(index)}/applications`, {
      apiVersion: 'weeder.dev/v1alpha1',
      kind: 'Application',
      metadata: { name: 'hostile' },
      spec: { manifests },
    });
  }
}

/** What they are to fight over, before there is any of them: what this costs the API server is none of theirs. */
export async function makeFoughtOver(cluster: Cluster, count: number): Promise<void> {
  for (const index of many(count)) {
    const { write, manifests } = hostilities[index % hostilities.length] ?? {};
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

/** Changes what they hold until it is told to stop. */
export function fight(cluster: Cluster, count: number): () => Promise<void> {
  const stop = new AbortController();
  const writers = many(count).map(async (index) => {
    const { write } = hostilities[index % hostilities.length] ?? {};
    for (let turn = 0; write !== undefined && !stop.signal.aborted; turn += 1) {
      await cluster.send('PATCH', pathOf(write.path, index), { body: write.patch(turn), contentType: mergePatch });
      await pause(write.every, undefined, { signal: stop.signal }).catch(() => undefined);
    }
  });
  return async () => {
    stop.abort();
    await Promise.all(writers);
  };
}

/** A connection that was idle for seconds may be closed under a request. */
async function insistently(ask: () => Promise<unknown>): Promise<void> {
  await ask().catch(ask);
}

/** Takes the applications away, and what they hold, without anybody's help. */
export async function removeHostile(cluster: Cluster, count: number): Promise<void> {
  for (const index of many(count)) {
    const home = `/namespaces/${hostileNamespace(index)}`;
    const application = `/apis/weeder.dev/v1alpha1${home}/applications/hostile`;
    const unfinalized = { body: { metadata: { finalizers: null } }, contentType: mergePatch };
    await insistently(() => cluster.send('PATCH', application, unfinalized));
    await insistently(() => cluster.send('DELETE', application));
    for (const collection of [`/api/v1${home}/configmaps`, `/apis/apps/v1${home}/deployments`])
      await insistently(() => cluster.send('DELETE', collection));
  }
}
