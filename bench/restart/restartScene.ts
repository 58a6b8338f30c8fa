import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { inParallel } from '../../src/base/promises.ts';
import { newNamespace } from '../../test/cluster/support/namespace.ts';
import { running } from '../../test/cluster/support/observer/statuses.ts';
import type { Cluster } from '../../test/cluster/support/plane/access.ts';
import { monotonic } from '../support/processFigures.ts';

const width = 32;
const namespace = 'shop';
const mergePatch = 'application/merge-patch+json';
const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
const pods = `/api/v1/namespaces/${namespace}/pods`;
/** A Deployment's generation is raised by an annotation too, such as its first state. */
const generationWhenAdopted = 2;
const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;

export interface SceneSize {
  readonly sources: number;
  readonly workloads: number;
  readonly sharing: number;
}

/** What was seen of one Deployment. */
export interface Seen {
  readonly at: number;
  readonly name: string;
}

/** ConfigMaps and Secrets of 5 KB, and Deployments with one pod each, whose controller is the benchmark itself. */
export interface RestartScene {
  /** Every restart so far: a new annotation of weeder in a pod template, with its moment by the monotonic clock. */
  readonly restarts: readonly Seen[];
  /** How many Deployments have a state, and how many a rollout that is not over. */
  counts(): { readonly adopted: number; readonly rolling: number };
  /** Writes a new value into the ConfigMap of this Deployment; all that share one have that of number 0. */
  change(workload: number): Promise<void>;
  release(workload: number): Promise<void>;
  /** What its controller would do: a new pod in place of the old one. */
  turnOver(workload: number): Promise<void>;
  stop(): void;
}

const List = z.object({ metadata: z.object({ resourceVersion: z.string() }) });
const Annotations = z.record(z.string(), z.string()).default({});
const Event = z.object({
  object: z.object({
    metadata: z.object({ name: z.string(), resourceVersion: z.string(), annotations: Annotations }),
    spec: z.object({ template: z.object({ metadata: z.object({ annotations: Annotations }) }) }),
  }),
});

export async function buildRestartScene(cluster: Cluster, size: SceneSize): Promise<RestartScene> {
  await newNamespace(cluster, namespace, { after: () => {} });
  const padding = 'x'.repeat(5_000);
  const numbers = Array.from({ length: size.sources }, (_, index) => index);
  await inParallel(numbers, width, async (index) => {
    const data = { value: '0', padding };
    await cluster.api('POST', configMaps, { metadata: { name: `settings-${index}` }, data });
    const secret = { metadata: { name: `secret-${index}` }, stringData: data };
    await cluster.api('POST', `/api/v1/namespaces/${namespace}/secrets`, secret);
  });
  const configMapOf = (index: number): string => `settings-${index < size.sharing ? 0 : index}`;
  await inParallel(numbers.slice(0, size.workloads), width, async (index) => {
    await cluster.api('POST', deployments, deployment(index, configMapOf(index)));
    await makePod(index, 0);
    await observe(index, generationWhenAdopted);
  });
  let seen = List.parse(await cluster.api('GET', `${deployments}?limit=1`)).metadata.resourceVersion;
  const watching = new AbortController();
  const restarts: Seen[] = [];
  const hashes = new Map<string, string>();
  const states = new Map<string, string>();
  let changes = 0;
  let made = 0;

  function take(line: string): void {
    const { metadata, spec } = Event.parse(JSON.parse(line)).object;
    const { name, annotations } = metadata;
    seen = metadata.resourceVersion;
    const hash = spec.template.metadata.annotations['weeder.dev/dependencies-hash'];
    const state = annotations['weeder.dev/dependencies'];
    if (state !== undefined) states.set(name, state);
    if (hash === undefined || hashes.get(name) === hash) return;
    hashes.set(name, hash);
    restarts.push({ at: monotonic(), name });
  }

  async function watch(): Promise<void> {
    const path = `${deployments}?watch=true&timeoutSeconds=3600&resourceVersion=${seen}`;
    const { lines } = await cluster.lines(path, { signal: watching.signal });
    for await (const line of lines) take(line);
  }

  /** On a busy machine the API server closes a watch that is read too slowly: it goes on where it was. */
  async function watchOn(): Promise<void> {
    while (!watching.signal.aborted) await watch().catch(() => pause(20));
  }
  const watched = watchOn();

  async function makePod(index: number, generation: number): Promise<void> {
    const name = `web-${index}-${generation}`;
    await cluster.api('POST', pods, pod(index, name, configMapOf(index)));
    const status = {
      phase: 'Running',
      containerStatuses: [{ ...running(0), name: 'app', image: 'app:1', imageID: '' }],
    };
    await cluster.api('PATCH', `${pods}/${name}/status`, { status }, mergePatch);
  }

  /** What its controller reports when it has seen this generation, and all is as it should be. */
  async function observe(index: number, observedGeneration: number): Promise<void> {
    const counts = { replicas: 1, updatedReplicas: 1, readyReplicas: 1, availableReplicas: 1 };
    const status = { observedGeneration, ...counts };
    await cluster.api('PATCH', `${deployments}/web-${index}/status`, { status }, mergePatch);
  }

  return {
    restarts,
    counts: () => ({
      adopted: states.size,
      rolling: [...states.values()].filter((state) => state.includes('"target"')).length,
    }),
    async change(index) {
      changes += 1;
      await cluster.api(
        'PATCH',
        `${configMaps}/${configMapOf(index)}`,
        { data: { value: String(changes) } },
        mergePatch,
      );
    },
    async release(index) {
      changes += 1;
      const containers = [{ ...container(configMapOf(index), index), image: `app:${changes}` }];
      const patch = { spec: { template: { spec: { containers } } } };
      await cluster.api('PATCH', `${deployments}/web-${index}`, patch, mergePatch);
    },
    async turnOver(index) {
      made += 1;
      const old = encodeURIComponent(`app=web-${index}`);
      await cluster.api('DELETE', `${pods}?labelSelector=${old}&gracePeriodSeconds=0`);
      await makePod(index, made);
      const { generation } = Generation.parse(await cluster.api('GET', `${deployments}/web-${index}`)).metadata;
      // A state that is written meanwhile raises the generation again.
      await observe(index, generation + 100);
    },
    stop() {
      watching.abort();
      void watched;
    },
  };
}

const Generation = z.object({ metadata: z.object({ generation: z.number() }) });

function container(configMap: string, index: number): object {
  const env = [{ name: 'VALUE', valueFrom: { configMapKeyRef: { name: configMap, key: 'value' } } }];
  return { name: 'app', image: 'app:1', env, envFrom: [{ secretRef: { name: `secret-${index}` } }] };
}

function deployment(index: number, configMap: string): object {
  const labels = { app: `web-${index}` };
  const template = { metadata: { labels }, spec: { containers: [container(configMap, index)] } };
  return { metadata: { name: `web-${index}` }, spec: { replicas: 1, selector: { matchLabels: labels }, template } };
}

/** Its owner does not exist, which nobody minds where no garbage collector runs. */
function pod(index: number, name: string, configMap: string): object {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `web-${index}`, uid: 'none', controller: true };
  const spec = { terminationGracePeriodSeconds: 0, containers: [container(configMap, index)] };
  return { metadata: { name, labels: { app: `web-${index}` }, ownerReferences: [owner] }, spec };
}

/** Waits until it is so; throws a sentence if it does not become so. */
export async function until(what: string, isSo: () => boolean, withinMs: number): Promise<void> {
  const deadline = monotonic() + withinMs;
  while (!isSo()) {
    if (monotonic() > deadline) throw new Error(`${what}: not within ${withinMs / 1000} s`);
    await pause(20);
  }
}
