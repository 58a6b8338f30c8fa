import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import { inParallel } from '../../src/base/promises.ts';
import { newNamespace } from '../../test/cluster/support/namespace.ts';
import { running } from '../../test/cluster/support/observer/statuses.ts';
import type { Cluster } from '../../test/cluster/support/plane/access.ts';
import { monotonic } from '../support/processFigures.ts';

const concurrency = 32;
const namespace = 'shop';
const mergePatch = 'application/merge-patch+json';
const deployments = `/apis/apps/v1/namespaces/${namespace}/deployments`;
const pods = `/api/v1/namespaces/${namespace}/pods`;
/** An annotation such as the first state increases the generation of a Deployment, too. */
const generationWhenAdopted = 2;
const configMaps = `/api/v1/namespaces/${namespace}/configmaps`;

export interface SceneSize {
  readonly sources: number;
  readonly workloads: number;
  readonly sharing: number;
}

/** A restart of a Deployment. */
export interface Restart {
  readonly at: number;
  readonly name: string;
}

/** ConfigMaps and Secrets of 5 KB, and Deployments with one pod each. The benchmark replaces their controllers. */
export interface RestartScene {
  /** All restarts so far: new annotations of weeder in pod templates, with times of the monotonic clock. */
  readonly restarts: readonly Restart[];
  /** The numbers of Deployments with a state, and with a rollout in progress. */
  counts(): { readonly adopted: number; readonly rolling: number };
  /** Writes a new value into the ConfigMap of this Deployment. Those that share one use that of number 0. */
  change(workload: number): Promise<void>;
  release(workload: number): Promise<void>;
  /** Replaces the pod, as the controller would. */
  replacePod(workload: number): Promise<void>;
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
  await inParallel(numbers, concurrency, async (index) => {
    const data = { value: '0', padding };
    await cluster.api('POST', configMaps, { metadata: { name: `settings-${index}` }, data });
    const secret = { metadata: { name: `secret-${index}` }, stringData: data };
    await cluster.api('POST', `/api/v1/namespaces/${namespace}/secrets`, secret);
  });
  const configMapOf = (index: number): string => `settings-${index < size.sharing ? 0 : index}`;
  await inParallel(numbers.slice(0, size.workloads), concurrency, async (index) => {
    await cluster.api('POST', deployments, deployment(index, configMapOf(index)));
    await createPod(index, 0);
    await reportStatus(index, generationWhenAdopted);
  });
  let lastVersion = List.parse(await cluster.api('GET', `${deployments}?limit=1`)).metadata.resourceVersion;
  const watching = new AbortController();
  const restarts: Restart[] = [];
  const hashes = new Map<string, string>();
  const states = new Map<string, string>();
  let changes = 0;
  let createdPods = 0;

  function onLine(line: string): void {
    const { metadata, spec } = Event.parse(JSON.parse(line)).object;
    const { name, annotations } = metadata;
    lastVersion = metadata.resourceVersion;
    const hash = spec.template.metadata.annotations['weeder.dev/dependencies-hash'];
    const state = annotations['weeder.dev/dependencies'];
    if (state !== undefined) states.set(name, state);
    if (hash === undefined || hashes.get(name) === hash) return;
    hashes.set(name, hash);
    restarts.push({ at: monotonic(), name });
  }

  async function watch(): Promise<void> {
    const path = `${deployments}?watch=true&timeoutSeconds=3600&resourceVersion=${lastVersion}`;
    const { lines } = await cluster.lines(path, { signal: watching.signal });
    for await (const line of lines) onLine(line);
  }

  /** Resumes the watch, which the API server ends if it is read too slowly on a busy machine. */
  async function keepWatching(): Promise<void> {
    while (!watching.signal.aborted) await watch().catch(() => pause(20));
  }
  const watched = keepWatching();

  async function createPod(index: number, generation: number): Promise<void> {
    const name = `web-${index}-${generation}`;
    await cluster.api('POST', pods, pod(index, name, configMapOf(index)));
    const status = {
      phase: 'Running',
      containerStatuses: [{ ...running(0), name: 'app', image: 'app:1', imageID: '' }],
    };
    await cluster.api('PATCH', `${pods}/${name}/status`, { status }, mergePatch);
  }

  /** Writes the status of a controller that has observed this generation and whose pods are ready. */
  async function reportStatus(index: number, observedGeneration: number): Promise<void> {
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
    async replacePod(index) {
      createdPods += 1;
      const old = encodeURIComponent(`app=web-${index}`);
      await cluster.api('DELETE', `${pods}?labelSelector=${old}&gracePeriodSeconds=0`);
      await createPod(index, createdPods);
      const { generation } = Generation.parse(await cluster.api('GET', `${deployments}/web-${index}`)).metadata;
      // A state that is written meanwhile increases the generation again.
      await reportStatus(index, generation + 100);
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

/** Its owner does not exist, which has no effect without a garbage collector. */
function pod(index: number, name: string, configMap: string): object {
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: `web-${index}`, uid: 'none', controller: true };
  const spec = { terminationGracePeriodSeconds: 0, containers: [container(configMap, index)] };
  return { metadata: { name, labels: { app: `web-${index}` }, ownerReferences: [owner] }, spec };
}

/** Waits until the condition is true. Throws if it is not in time. */
export async function waitUntil(what: string, condition: () => boolean, withinMs: number): Promise<void> {
  const deadline = monotonic() + withinMs;
  while (!condition()) {
    if (monotonic() > deadline) throw new Error(`${what}: not within ${withinMs / 1000} s`);
    await pause(20);
  }
}
