import { arrayOf, type JsonObject, objectOf, textOf } from '../base/json.ts';
import type { DependantRef } from '../dependencies/dependency.ts';

/**
 * The workload of a pod, by the names that controllers give to their pods; recordings contain only the kinds of owners.
 * A pod without a controller is its own workload.
 */
export function ownerOf(pod: JsonObject): DependantRef {
  const { namespace, name, labels: given, ownerReferences } = objectOf(pod['metadata']);
  const owner = arrayOf(ownerReferences)
    .map(objectOf)
    .find(({ controller }) => controller === true);
  const labels = objectOf(given);
  const podName = textOf(name) ?? '';
  const place = { namespace: textOf(namespace) ?? '' };
  const hash = textOf(labels['pod-template-hash']);
  const job = textOf(labels['batch.kubernetes.io/job-name']) ?? textOf(labels['job-name']);
  const kind = textOf(owner?.['kind']);
  const generated = podName.replace(/-[a-z0-9]{5}$/, '');
  if (kind === 'ReplicaSet' && hash !== undefined && generated.endsWith(`-${hash}`))
    return { ...place, kind: 'Deployment', name: generated.slice(0, -hash.length - 1) };
  if (kind === 'StatefulSet') return { ...place, kind, name: podName.replace(/-\d+$/, '') };
  if (kind === 'Job') return { ...place, kind, name: job ?? generated };
  return kind === undefined ? { ...place, kind: 'Pod', name: podName } : { ...place, kind, name: generated };
}
