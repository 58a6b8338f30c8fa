import { timestamp } from '@weeder/embedded-cluster';
import type { Clock } from '../../base/clock.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { type ApiFailure, isRecoverable } from '../../kube/client/failure.ts';
import { servingCondition } from './manifests.ts';

/** Switches the readiness of the etcd pods by their readiness gate. */
interface Serving {
  /** What all etcd pods are to be from now on, those that come later included. */
  set(isServing: boolean): void;
  /** An etcd pod is seen; `status` is that of its condition, undefined where it has none yet. */
  observe(pod: string, status: unknown): void;
  forget(pod: string): void;
  /** Writes again what was not taken. */
  retry(): void;
  /** Why the cluster does not take it, where trying again is no use. */
  readonly failure: ApiFailure | undefined;
}

export function createServing(client: KubeClient, clock: Clock, namespace: string): Serving {
  /** What the cluster says of each pod. */
  const seen = new Map<string, unknown>();
  const inFlight = new Set<string>();
  let desired = 'True';
  let failure: ApiFailure | undefined;

  async function write(pod: string): Promise<void> {
    inFlight.add(pod);
    const status = desired;
    const condition = { type: servingCondition, status, lastTransitionTime: timestamp(clock.now()) };
    const result = await client.call({
      method: 'PATCH',
      path: `/api/v1/namespaces/${namespace}/pods/${pod}/status`,
      contentType: 'application/strategic-merge-patch+json',
      body: { status: { conditions: [condition] } },
    });
    inFlight.delete(pod);
    if (result.ok) {
      if (seen.has(pod)) seen.set(pod, status);
      if (status !== desired) retry();
    } else if (isFinal(result.failure)) failure = result.failure;
  }

  function retry(): void {
    for (const [pod, status] of seen) if (status !== desired && !inFlight.has(pod)) void write(pod);
  }

  return {
    set(isServing) {
      desired = isServing ? 'True' : 'False';
      retry();
    },
    observe(pod, status) {
      if (!inFlight.has(pod)) seen.set(pod, status);
      retry();
    },
    forget(pod) {
      seen.delete(pod);
    },
    retry,
    get failure() {
      return failure;
    },
  };
}

/** A pod that went away meanwhile is no failure; a missing permission stays missing for as long as a demo lasts. */
function isFinal(failure: ApiFailure): boolean {
  if (failure.kind === 'notFound' || failure.kind === 'conflict') return false;
  return failure.kind === 'forbidden' || failure.kind === 'invalid' || !isRecoverable(failure);
}
