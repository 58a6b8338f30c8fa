import { objectOf } from '@weeder/kube-runtime/base';
import type { ObjectRef } from '@weeder/kube-runtime/events';
import { isIntermediate } from '@weeder/kube-runtime/events';
import { controllerOf, deploymentOf, nameIn, objectText, uidIn } from '@weeder/kube-runtime/objects';

/**
 * The workload of a pod, as far as the pod itself says: its controller, or the Deployment of a ReplicaSet, whose uid
 * is unknown then; a pod without a controller is its own workload.
 */
export function workloadOf(pod: unknown): ObjectRef {
  const meta = objectOf(objectOf(pod)['metadata']);
  const namespace = nameIn(meta['namespace']) ?? '';
  const owner = controllerOf(meta);
  if (owner === undefined)
    return { apiVersion: 'v1', kind: 'Pod', namespace, name: nameIn(meta['name']) ?? '', uid: uidIn(meta['uid']) };
  const { apiVersion = '', kind = '', name = '', uid } = owner;
  const ref = { apiVersion, kind, namespace, name, uid };
  const deployment = kind === 'ReplicaSet' ? deploymentOf(ref.name, meta) : undefined;
  const workload = deployment === undefined ? ref : { ...ref, kind: 'Deployment', name: deployment, uid: undefined };
  return isIntermediate(ref) ? { ...workload, controllerOf: ref } : workload;
}

/** The same for all Jobs of a CronJob, whose names end in the time of their start. */
export function lastingName(workload: ObjectRef): string {
  const { kind, name } = workload;
  return objectText(kind === 'Job' ? { ...workload, name: name.replace(/-\d{8,}$/, '') } : workload);
}
