import type { ApiStore } from '../apiserver/apiStore.ts';
import type { KubeObject } from '../apiserver/meta/objects.ts';
import { controllerRevisions, pods, statefulSets } from '../apiserver/strategies/resources.ts';
import { type JsonObject, numberOf, objectOf, textOf } from '../base/json.ts';
import { isPodReady } from '../base/podConditions.ts';
import type { Clock } from '../clock/clock.ts';
import { isTerminating, type Placement, podOf } from './owned.ts';
import { manager, nonZero, reconcileOnChange, workloadDelay, writeStatus } from './reconciling.ts';
import { deleteUnusedRevisions, hashLabel, templateIn, updateRevision } from './revisions.ts';

const indexLabel = 'apps.kubernetes.io/pod-index';

/** The state that one reconciliation is based on. */
interface View {
  readonly set: KubeObject;
  readonly replicas: number;
  readonly update: KubeObject;
  /** The name of the current revision: that of the last completed rollout. */
  readonly current: string;
}

/** Starts the StatefulSet controller, which writes pods in order. Returns a function that stops it. */
export function startStatefulSets(store: ApiStore, clock: Clock, placement: Placement = {}): () => void {
  function reconcile(): void {
    for (const set of store.list(statefulSets)) {
      const update = isTerminating(set) ? undefined : updateRevision(store, set);
      if (update === undefined) continue;
      const current = textOf(objectOf(set['status'])['currentRevision']) ?? update.metadata.name;
      const view = { set, replicas: numberOf(objectOf(set['spec'])['replicas']) ?? 1, update, current };
      proceed(store, view, placement);
      const owned = store.ownedBy(pods, set);
      writeStatus(store, statefulSets, set, statusOf(view, owned));
      const names = new Set([update.metadata.name, current, ...owned.map(revisionOf)]);
      deleteUnusedRevisions(store, set, ({ metadata }) => names.has(metadata.name));
    }
  }
  return reconcileOnChange(store, clock, [pods, statefulSets], workloadDelay, reconcile);
}

/** Takes one step: creates a missing pod, deletes a superfluous one, or replaces an outdated one. */
function proceed(store: ApiStore, view: View, placement: Placement): void {
  const { set, replicas } = view;
  const { podManagementPolicy } = objectOf(set['spec']);
  const isOrdered = podManagementPolicy !== 'Parallel';
  const byOrdinal = new Map(store.ownedBy(pods, set).map((pod) => [ordinalOf(pod), pod]));
  for (let ordinal = 0; ordinal < replicas; ordinal += 1) {
    const pod = byOrdinal.get(ordinal);
    if (pod === undefined) store.create(pods, newPod(store, view, ordinal, placement), manager);
    // As in the real controller, an earlier pod that is never ready blocks the later ones.
    if (isOrdered && (pod === undefined || !isHealthy(pod))) return;
  }
  const surplus = [...byOrdinal].filter(([ordinal]) => ordinal >= replicas).sort(([a], [b]) => b - a);
  for (const [, pod] of surplus) {
    if (!isTerminating(pod)) remove(store, pod);
    if (isOrdered) return;
  }
  replaceOutdated(store, view, byOrdinal);
}

/** Deletes the outdated pod with the highest ordinal if all above it are ready. */
function replaceOutdated(
  store: ApiStore,
  { set, replicas, update }: View,
  byOrdinal: ReadonlyMap<number, KubeObject>,
): void {
  const { type, rollingUpdate } = objectOf(objectOf(set['spec'])['updateStrategy']);
  if (type === 'OnDelete') return;
  for (let ordinal = replicas - 1; ordinal >= partitionOf(rollingUpdate); ordinal -= 1) {
    const pod = byOrdinal.get(ordinal);
    if (pod !== undefined && revisionOf(pod) !== update.metadata.name && !isTerminating(pod)) {
      remove(store, pod);
      return;
    }
    if (pod === undefined || !isHealthy(pod)) return;
  }
}

/** Returns the manifest of a pod; below the partition it has the current revision. */
function newPod(store: ApiStore, { set, update, current }: View, ordinal: number, placement: Placement): JsonObject {
  const { name: own, namespace = '' } = set.metadata;
  const { updateStrategy, serviceName } = objectOf(set['spec']);
  const { type, rollingUpdate } = objectOf(updateStrategy);
  const isBelowPartition = type === 'RollingUpdate' && ordinal < partitionOf(rollingUpdate);
  const stored = isBelowPartition ? store.get(controllerRevisions, namespace, current) : undefined;
  const revision = stored ?? update;
  const name = `${own}-${ordinal}`;
  return podOf(set, templateIn(revision), {
    name,
    labels: {
      [hashLabel]: revision.metadata.name,
      'statefulset.kubernetes.io/pod-name': name,
      [indexLabel]: String(ordinal),
    },
    spec: { ...placement, hostname: name, subdomain: serviceName },
  });
}

function statusOf({ set, update, current }: View, owned: readonly KubeObject[]): JsonObject {
  const active = owned.filter((pod) => !isTerminating(pod));
  const at = (name: string) => active.filter((pod) => revisionOf(pod) === name).length;
  const ready = owned.filter(isPodReady).length;
  const updated = at(update.metadata.name);
  const { updateStrategy } = objectOf(set['spec']);
  const isRolled =
    objectOf(updateStrategy)['type'] === 'RollingUpdate' && [updated, ready].every((n) => n === owned.length);
  const counts = { readyReplicas: ready, currentReplicas: isRolled ? updated : at(current), updatedReplicas: updated };
  return {
    observedGeneration: set.metadata.generation,
    replicas: owned.length,
    ...nonZero(counts),
    currentRevision: isRolled ? update.metadata.name : current,
    updateRevision: update.metadata.name,
    collisionCount: 0,
    availableReplicas: ready,
  };
}

function partitionOf(rollingUpdate: unknown): number {
  return numberOf(objectOf(rollingUpdate)['partition']) ?? 0;
}

function revisionOf({ metadata }: KubeObject): string {
  return metadata.labels?.[hashLabel] ?? '';
}

function ordinalOf({ metadata }: KubeObject): number {
  return Number(metadata.labels?.[indexLabel] ?? -1);
}

function isHealthy(pod: KubeObject): boolean {
  return isPodReady(pod) && !isTerminating(pod);
}

function remove(store: ApiStore, { metadata }: KubeObject): void {
  store.delete(pods, metadata.namespace ?? '', metadata.name, { uid: metadata.uid });
}
