import { timestamp } from '@weeder/embedded-cluster';
import type { Clock } from '../../base/clock.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { ApiFailure } from '../../kube/client/failure.ts';
import { isRecoverable } from '../../kube/client/failureClass.ts';
import { servingCondition } from './manifests.ts';

/** Switches the readiness of the etcd pods by their readiness gate. */
interface Serving {
  /** Sets the readiness of all etcd pods, including those that are created later. */
  set(isServing: boolean): void;
  /** Called for each change of an etcd pod; `status` is that of its condition, if it has one. */
  observe(pod: string, status: unknown): void;
  forget(pod: string): void;
  /** Repeats failed writes. */
  retry(): void;
  /** The failure of a write that a retry cannot solve. */
  readonly failure: ApiFailure | undefined;
}

export function createServing(client: KubeClient, clock: Clock, namespace: string): Serving {
  /** The status of each pod's condition. */
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

/** A deleted pod is not a failure. A missing permission is final. */
function isFinal(failure: ApiFailure): boolean {
  if (failure.kind === 'notFound' || failure.kind === 'conflict') return false;
  return failure.kind === 'forbidden' || failure.kind === 'invalid' || !isRecoverable(failure);
}
