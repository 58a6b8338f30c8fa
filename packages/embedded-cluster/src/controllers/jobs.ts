import type { ApiStore } from '../apiserver/apiStore.ts';
import type { KubeObject } from '../apiserver/meta/objects.ts';
import { jobs, pods } from '../apiserver/strategies/resources.ts';
import { type JsonObject, numberOf, objectOf } from '../base/json.ts';
import { isPodReady } from '../base/podConditions.ts';
import type { Clock } from '../clock/clock.ts';
import { isActive, isTerminating, type Placement, podOf } from './owned.ts';
import { manager, nonZero, reconcileOnChange, workloadDelay, writeStatus } from './reconciling.ts';

/**
 * Starts the Job controller, which creates the pods of Jobs that are neither suspended nor complete. It sets no
 * conditions, and those of others stay. There is no CronJob controller. Returns a function that stops it.
 */
export function startJobs(store: ApiStore, clock: Clock, placement: Placement = {}): () => void {
  function reconcile(): void {
    for (const job of store.list(jobs)) {
      if (isTerminating(job)) continue;
      proceed(store, job, placement);
      writeStatus(store, jobs, job, statusOf(job, store.ownedBy(pods, job)));
    }
  }
  return reconcileOnChange(store, clock, [pods, jobs], workloadDelay, reconcile);
}

function proceed(store: ApiStore, job: KubeObject, placement: Placement): void {
  const { suspend, parallelism, completions, template } = objectOf(job['spec']);
  const owned = store.ownedBy(pods, job);
  const active = owned.filter(isActive);
  const remaining = (numberOf(completions) ?? 1) - owned.filter(hasSucceeded).length;
  const desired = suspend === true ? 0 : Math.max(0, Math.min(numberOf(parallelism) ?? 1, remaining));
  for (let count = active.length; count < desired; count += 1) {
    store.create(pods, podOf(job, template, { spec: { ...placement } }), manager);
  }
  for (const { metadata } of active.slice(desired)) store.delete(pods, metadata.namespace ?? '', metadata.name);
}

function statusOf(job: KubeObject, owned: readonly KubeObject[]): JsonObject {
  const active = owned.filter(isActive);
  const counts = {
    active: active.length,
    ready: active.filter(isPodReady).length,
    succeeded: owned.filter(hasSucceeded).length,
  };
  const { startTime = job.metadata.creationTimestamp, conditions } = objectOf(job['status']);
  const isSuspended = objectOf(job['spec'])['suspend'] === true;
  return {
    ...(isSuspended ? {} : { startTime }),
    ...(conditions === undefined ? {} : { conditions }),
    ...nonZero(counts),
  };
}

function hasSucceeded(pod: KubeObject): boolean {
  return objectOf(pod['status'])['phase'] === 'Succeeded';
}
