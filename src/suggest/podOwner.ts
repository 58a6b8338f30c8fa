import { type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import { controllerOf, deploymentOf } from '@weeder/kube-runtime/objects';
import type { DependantRef } from '../dependencies/dependency.ts';

/**
 * The workload of a pod, by the names that controllers give to their pods; recordings contain only the kinds of owners.
 * A pod without a controller is its own workload.
 */
export function ownerOf(pod: JsonObject): DependantRef {
  const meta = objectOf(pod['metadata']);
  const labels = objectOf(meta['labels']);
  const podName = textOf(meta['name']) ?? '';
  const place = { namespace: textOf(meta['namespace']) ?? '' };
  const job = textOf(labels['batch.kubernetes.io/job-name']) ?? textOf(labels['job-name']);
  const kind = textOf(controllerOf(meta)?.['kind']);
  const generated = podName.replace(/-[a-z0-9]{5}$/, '');
  const deployment = kind === 'ReplicaSet' ? deploymentOf(generated, meta) : undefined;
  if (deployment !== undefined) return { ...place, kind: 'Deployment', name: deployment };
  if (kind === 'StatefulSet') return { ...place, kind, name: podName.replace(/-\d+$/, '') };
  if (kind === 'Job') return { ...place, kind, name: job ?? generated };
  return kind === undefined ? { ...place, kind: 'Pod', name: podName } : { ...place, kind, name: generated };
}
