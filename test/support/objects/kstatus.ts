import { arrayOf, type JsonObject, objectOf } from '@weeder/kube-runtime/base';

/**
 * What kstatus makes of an object of a kind that it does not know, which Flux, kpt and others wait for. The rules are
 * those of checkGenericProperties in sigs.k8s.io/cli-utils/pkg/kstatus/status.
 */
export function kstatusOf(object: JsonObject): 'Terminating' | 'InProgress' | 'Failed' | 'Current' {
  const { deletionTimestamp, generation } = objectOf(object['metadata']);
  const { observedGeneration, conditions } = objectOf(object['status']);
  if (deletionTimestamp !== undefined) return 'Terminating';
  if (observedGeneration !== undefined && observedGeneration !== generation) return 'InProgress';
  const statusOf = (type: string) =>
    arrayOf(conditions)
      .map(objectOf)
      .find((each) => each['type'] === type)?.['status'];
  if (statusOf('Reconciling') === 'True') return 'InProgress';
  if (statusOf('Stalled') === 'True') return 'Failed';
  const ready = statusOf('Ready');
  return ready === 'False' || ready === 'Unknown' ? 'InProgress' : 'Current';
}
