import { isDeepStrictEqual } from 'node:util';
import {
  type ApiServer,
  type ContainerContent,
  createApiServer,
  isTerminating,
  type KubeObject,
  seededRandom,
  sourcesOf,
  startKubelet,
  startWorkloads,
} from '@weeder/embedded-cluster';
import { configMaps, deployments, pods, secrets } from '@weeder/embedded-cluster/resources';
import type { Clock } from '@weeder/kube-runtime/base';
import { arrayOf, type JsonObject, numberOf, objectOf } from '@weeder/kube-runtime/base';
import type { SourceKind } from '../../restart/references/refs.ts';
import type { ShopEvent } from './events.ts';
import { createShop, encoded, home } from './objects.ts';
import type { Rollout } from './rollout.ts';
import { refOf, templateIn, workloadResources, workloadsIn } from './templates.ts';

type Texts = Readonly<Record<string, string>>;

/** The cluster of the demo with the shop, and the actions of its users. */
export interface Shop {
  readonly server: ApiServer;
  /** Every change of a pod template so far. */
  readonly rollouts: readonly Rollout[];
  /** Changes the values of keys of a source. */
  change(kind: SourceKind, name: string, values: Texts): void;
  remove(kind: SourceKind, name: string): void;
  create(kind: SourceKind, name: string, values: Texts): void;
  /** Changes the image of a Deployment. */
  release(name: string, image: string): void;
  /** Whether no rollout is in progress. */
  isSettled(): boolean;
  /** The pods that were started with outdated content of their sources. */
  podsWithOldContent(): readonly string[];
  stop(): void;
}

const manager = { manager: 'kubectl' };

export function openShop(clock: Clock, seed: number, report: (event: ShopEvent) => void = () => {}): Shop {
  const server = createApiServer({ clock, random: seededRandom(seed) });
  const { store } = server;
  const rollouts: Rollout[] = [];
  const templates = new Map<string, KubeObject>();
  /** By the uid of the pod: each of them has one container. */
  const started = new Map<string, ContainerContent>();

  function see(kind: (typeof workloadResources)[number]['kind'], object: KubeObject): void {
    const before = templates.get(object.metadata.uid);
    templates.set(object.metadata.uid, object);
    if (before === undefined) return;
    const [then, now] = [templateIn(before), templateIn(object)];
    if (isDeepStrictEqual(then, now)) return;
    const isRestart = !isDeepStrictEqual(annotationsOf(then), annotationsOf(now));
    const rollout = { workload: refOf(kind, object), isRestart };
    rollouts.push(rollout);
    report({ type: 'rollout.began', ...rollout });
  }

  const resourceOf = (kind: SourceKind) => (kind === 'ConfigMap' ? configMaps : secrets);
  const dataOf = (kind: SourceKind, values: Texts) => (kind === 'Secret' ? encoded(values) : values);
  function reporter(type: 'source.changed' | 'source.deleted' | 'source.created') {
    return (kind: SourceKind, name: string, values: Texts = {}) =>
      report({ type, source: { kind, namespace: home, name }, keys: Object.keys(values) });
  }

  createShop(store);
  const parts = [
    startWorkloads(store, clock),
    startKubelet({
      store,
      clock,
      version: '1.36',
      seed,
      onStart: ({ metadata }, _container, content) => started.set(metadata.uid, content),
    }),
    ...workloadResources.map(({ kind, resource }) =>
      store.watch(resource, { namespace: home }, (type, object) => type !== 'DELETED' && see(kind, object)),
    ),
  ];

  function hasOldContent(pod: KubeObject): boolean {
    const content = started.get(pod.metadata.uid);
    if (content === undefined || isTerminating(pod)) return false;
    const spec = objectOf(pod['spec']);
    const now = sourcesOf(store, home, spec);
    const [env, files] = [now.env(objectOf(arrayOf(spec['containers'])[0])), now.files()];
    if (!env.ok || !files.ok) return false;
    return !isDeepStrictEqual(content, { env: env.value, files: files.value });
  }

  return {
    server,
    rollouts,
    change(kind, name, values) {
      reporter('source.changed')(kind, name, values);
      store.patch(resourceOf(kind), home, name, { data: dataOf(kind, values) }, manager);
    },
    remove(kind, name) {
      reporter('source.deleted')(kind, name);
      store.delete(resourceOf(kind), home, name);
    },
    create(kind, name, values) {
      reporter('source.created')(kind, name, values);
      store.create(resourceOf(kind), { metadata: { name, namespace: home }, data: dataOf(kind, values) }, manager);
    },
    release(name, image) {
      report({ type: 'image.changed', workload: name, image });
      const deployment = store.get(deployments, home, name);
      const spec = objectOf(deployment === undefined ? {} : templateIn(deployment)['spec']);
      const containers = arrayOf(spec['containers']).map((each) => ({ ...objectOf(each), image }));
      store.patch(deployments, home, name, { spec: { template: { spec: { containers } } } }, manager);
    },
    isSettled: () =>
      workloadsIn(store).every(({ object }) => isRolledOut(object)) &&
      !store.list(pods, { namespace: home }).some(isTerminating),
    podsWithOldContent: () =>
      store
        .list(pods, { namespace: home })
        .filter(hasOldContent)
        .map(({ metadata }) => metadata.name),
    stop() {
      for (const stop of parts) stop();
    },
  };
}

function annotationsOf(template: JsonObject): unknown {
  return objectOf(objectOf(template['metadata'])['annotations']);
}

/** A CronJob has no rollout: its next run uses the new template. */
function isRolledOut({ kind, metadata, spec, status }: KubeObject): boolean {
  if (kind === 'CronJob') return true;
  const replicas = numberOf(objectOf(spec)['replicas']) ?? 1;
  const { observedGeneration, updatedReplicas, readyReplicas, replicas: total } = objectOf(status);
  return (
    observedGeneration === metadata.generation && [updatedReplicas, readyReplicas, total].every((n) => n === replicas)
  );
}
