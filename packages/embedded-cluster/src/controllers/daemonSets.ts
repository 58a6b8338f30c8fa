import type { ApiStore } from '../apiserver/apiStore.ts';
import type { KubeObject } from '../apiserver/meta/objects.ts';
import { daemonSets, pods } from '../apiserver/strategies/resources.ts';
import { type JsonObject, numberOf, objectOf } from '../base/json.ts';
import { isPodReady } from '../base/podConditions.ts';
import type { Clock } from '../clock/clock.ts';
import { isActive, isTerminating, type Placement, podOf } from './owned.ts';
import { manager, nonZero, reconcileOnChange, workloadDelay, writeStatus } from './reconciling.ts';
import { deleteUnusedRevisions, hashLabel, templateIn, updateRevision } from './revisions.ts';

const revisionHash = 'controller.kubernetes.io/hash';

/** Starts the DaemonSet controller. A DaemonSet has one pod, as there is one node. Returns a function that stops it. */
export function startDaemonSets(store: ApiStore, clock: Clock, placement: Placement = {}): () => void {
  function reconcile(): void {
    for (const set of store.list(daemonSets)) {
      const revision = isTerminating(set) ? undefined : updateRevision(store, set);
      if (revision === undefined) continue;
      const hash = revision.metadata.labels?.[revisionHash] ?? '';
      proceed(store, set, hash, () =>
        podOf(set, templateIn(revision), { labels: { [hashLabel]: hash }, spec: { ...placement } }),
      );
      const owned = store.ownedBy(pods, set);
      writeStatus(store, daemonSets, set, statusOf(set, hash, owned.filter(isActive)));
      const inUse = new Set([hash, ...owned.map(hashOf)]);
      deleteUnusedRevisions(store, set, ({ metadata }) => inUse.has(metadata.labels?.[revisionHash] ?? ''));
    }
  }
  return reconcileOnChange(store, clock, [pods, daemonSets], workloadDelay, reconcile);
}

/** With maxSurge the new pod is created first; otherwise the old one must be deleted first. */
function proceed(store: ApiStore, set: KubeObject, hash: string, newPod: () => JsonObject): void {
  const { type, rollingUpdate } = objectOf(objectOf(set['spec'])['updateStrategy']);
  const hasSurge = type !== 'OnDelete' && (numberOf(objectOf(rollingUpdate)['maxSurge']) ?? 0) > 0;
  const ownedPods = store.ownedBy(pods, set);
  const active = ownedPods.filter(isActive);
  const current = active.filter((pod) => hashOf(pod) === hash);
  const outdated = active.filter((pod) => hashOf(pod) !== hash);
  const isMissing = hasSurge ? current.length === 0 : ownedPods.length === 0;
  if (isMissing) store.create(pods, newPod(), manager);
  if (type === 'OnDelete' || (hasSurge && !current.some(isPodReady))) return;
  for (const { metadata } of outdated)
    store.delete(pods, metadata.namespace ?? '', metadata.name, { uid: metadata.uid });
}

function statusOf({ metadata }: KubeObject, hash: string, active: readonly KubeObject[]): JsonObject {
  const ready = active.some(isPodReady) ? 1 : 0;
  const isUpdated = active.some((pod) => hashOf(pod) === hash);
  return {
    currentNumberScheduled: active.length === 0 ? 0 : 1,
    numberMisscheduled: 0,
    desiredNumberScheduled: 1,
    numberReady: ready,
    observedGeneration: metadata.generation,
    ...nonZero({ updatedNumberScheduled: isUpdated ? 1 : 0, numberAvailable: ready, numberUnavailable: 1 - ready }),
  };
}

function hashOf({ metadata }: KubeObject): string {
  return metadata.labels?.[hashLabel] ?? '';
}
