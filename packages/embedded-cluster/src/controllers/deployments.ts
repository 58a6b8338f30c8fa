import type { ApiStore } from '../apiserver/apiStore.ts';
import type { KubeObject } from '../apiserver/meta/objects.ts';
import { deployments, replicaSets } from '../apiserver/strategies/resources.ts';
import { numberOf, objectOf } from '../base/json.ts';
import type { Clock, TimerHandle } from '../clock/clock.ts';
import { deploymentStatus, progressDeadline } from './deploymentStatus.ts';
import { isTerminating } from './owned.ts';
import { manager, reconcileOnChange, workloadDelay, writeStatus } from './reconciling.ts';
import { currentSet, revisionOf, revisionsOf } from './replicaSetsOf.ts';
import { nextReplicas } from './rollingUpdate.ts';

/**
 * Starts the Deployment controller, which rolls out through ReplicaSets. `delay`: milliseconds between a change and its
 * reconciliation. Returns a function that stops it.
 */
export function startDeployments(store: ApiStore, clock: Clock, delay = workloadDelay): () => void {
  let deadline: TimerHandle | undefined;

  function reconcile(): void {
    clock.clearTimeout(deadline);
    const waits = store.list(deployments).flatMap((each) => (isTerminating(each) ? [] : (rollOut(each) ?? [])));
    // The expiry of a progress deadline causes no event, so that a timer requeues the Deployment.
    deadline = waits.length === 0 ? undefined : clock.setTimeout(reconcile, Math.min(...waits));
  }

  /** Reconciles a Deployment. Returns the milliseconds until its progress deadline; undefined if it has none. */
  function rollOut(deployment: KubeObject): number | undefined {
    const isPaused = objectOf(deployment['spec'])['paused'] === true;
    const current = currentSet(store, deployment, isPaused);
    const old = store.ownedBy(replicaSets, deployment).filter(({ metadata }) => metadata.uid !== current?.metadata.uid);
    if (isPaused) resize(store, deployment, current, old);
    else {
      for (const [set, replicas] of nextReplicas(store, deployment, current, old)) scale(store, set, replicas);
    }
    const { metadata } = deployment;
    const now = clock.now();
    const latestOf = (set: KubeObject) => store.get(replicaSets, set.metadata.namespace ?? '', set.metadata.name);
    const sets = { current: current && latestOf(current), old: old.flatMap((set) => latestOf(set) ?? []) };
    const status = deploymentStatus(deployment, sets, now);
    const annotations =
      sets.current === undefined ? {} : { [revisionsOf.annotation]: String(revisionOf(sets.current)) };
    writeStatus(store, deployments, deployment, status, annotations);
    const latest = store.get(deployments, metadata.namespace ?? '', metadata.name);
    if (latest === undefined) return undefined;
    const overdueAt = progressDeadline(latest);
    if (isComplete(latest)) deleteOldReplicaSets(store, latest, sets.old);
    return overdueAt === undefined || overdueAt <= now ? undefined : overdueAt - now;
  }

  const stop = reconcileOnChange(store, clock, [deployments, replicaSets], delay, reconcile);
  return () => {
    clock.clearTimeout(deadline);
    stop();
  };
}

/** A paused Deployment is only scaled. */
function resize(
  store: ApiStore,
  deployment: KubeObject,
  current: KubeObject | undefined,
  old: readonly KubeObject[],
): void {
  const active = [...(current === undefined ? [] : [current]), ...old].filter((set) => replicasOf(set) > 0);
  const [only, ...others] = active;
  const replicas = replicasOf(deployment);
  if (only !== undefined && others.length === 0 && replicasOf(only) !== replicas) scale(store, only, replicas);
}

function scale(store: ApiStore, { metadata }: KubeObject, replicas: number): void {
  store.patch(replicaSets, metadata.namespace ?? '', metadata.name, { spec: { replicas } }, manager);
}

function isComplete({ spec, status, metadata }: KubeObject): boolean {
  const desired = numberOf(objectOf(spec)['replicas']) ?? 1;
  const { replicas = 0, updatedReplicas = 0, availableReplicas = 0, observedGeneration } = objectOf(status);
  return (
    observedGeneration === metadata.generation &&
    [replicas, updatedReplicas, availableReplicas].every((count) => count === desired)
  );
}

/** Deletes scaled-down ReplicaSets beyond revisionHistoryLimit. */
function deleteOldReplicaSets(store: ApiStore, deployment: KubeObject, old: readonly KubeObject[]): void {
  const limit = numberOf(objectOf(deployment['spec'])['revisionHistoryLimit']) ?? 10;
  const done = old.filter((set) => replicasOf(set) === 0 && (numberOf(objectOf(set['status'])['replicas']) ?? 0) === 0);
  const oldestFirst = done.toSorted((a, b) => revisionOf(a) - revisionOf(b));
  for (const { metadata } of oldestFirst.slice(0, Math.max(0, done.length - limit))) {
    store.delete(replicaSets, metadata.namespace ?? '', metadata.name);
  }
}

function replicasOf({ spec }: KubeObject): number {
  return numberOf(objectOf(spec)['replicas']) ?? 1;
}
