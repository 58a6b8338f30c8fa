import { objectOf, textOf } from '../../base/json.ts';
import type { ObjectRef } from '../../kube/events/event.ts';
import { controllerOf, deploymentOf } from '../../kube/objects/owners.ts';

/**
 * The workload of a pod, as far as the pod itself says: its controller, or the Deployment of a ReplicaSet, whose uid
 * is unknown then; a pod without a controller is its own workload.
 */
export function workloadOf(pod: unknown): ObjectRef {
  const meta = objectOf(objectOf(pod)['metadata']);
  const namespace = textOf(meta['namespace']) ?? '';
  const owner = controllerOf(meta);
  if (owner === undefined) return { apiVersion: 'v1', kind: 'Pod', ...namesOf(meta), namespace };
  const ref = { apiVersion: textOf(owner['apiVersion']) ?? '', kind: textOf(owner['kind']) ?? '', ...namesOf(owner) };
  const deployment = ref.kind === 'ReplicaSet' ? deploymentOf(ref.name, meta) : undefined;
  if (deployment === undefined) return { ...ref, namespace };
  return { apiVersion: ref.apiVersion, kind: 'Deployment', namespace, name: deployment, uid: undefined };
}

export function workloadName({ kind, namespace, name }: ObjectRef): string {
  return `${kind} ${namespace}/${name}`;
}

/** The same for all Jobs of a CronJob, whose names end in the time of their start. */
export function lastingName(workload: ObjectRef): string {
  const { kind, name } = workload;
  return workloadName(kind === 'Job' ? { ...workload, name: name.replace(/-\d{8,}$/, '') } : workload);
}

function namesOf({ name, uid }: Readonly<Record<string, unknown>>): Pick<ObjectRef, 'name' | 'uid'> {
  return { name: textOf(name) ?? '', uid: textOf(uid) };
}
