import { type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import { controllerOf } from '@weeder/kube-runtime/objects';
import { dependantKey } from '../../dependencies/dependency.ts';
import type { Observed, ObservedWorkload } from '../observed.ts';

/** A Job of a CronJob, or a ReplicaSet of a Deployment, is between the pod and the workload. */
const longestChain = 3;

/** Finds the searched workload of a pod by the references to controllers; undefined: there is none. */
export function createWorkloadOfPod(
  objects: readonly JsonObject[],
  { workloads }: Observed,
): (podMetadata: JsonObject) => ObservedWorkload | undefined {
  const searched = new Map(workloads.map((workload) => [dependantKey(workload.ref), workload]));
  const metadataOf = new Map(
    objects.map(({ kind, metadata }) => [keyOf(kind, objectOf(metadata)), objectOf(metadata)]),
  );
  return (podMetadata) => {
    const namespace = podMetadata['namespace'];
    let [key, metadata] = [keyOf('Pod', podMetadata), podMetadata];
    for (let step = 0; step < longestChain; step += 1) {
      const workload = searched.get(key);
      const owner = controllerOf(metadata);
      if (workload !== undefined || owner === undefined) return workload;
      key = keyOf(owner['kind'], { namespace, name: owner['name'] });
      metadata = metadataOf.get(key) ?? {};
    }
    return undefined;
  };
}

function keyOf(kind: unknown, { namespace, name }: JsonObject): string {
  return dependantKey({ kind: textOf(kind) ?? '', namespace: textOf(namespace) ?? '', name: textOf(name) ?? '' });
}
