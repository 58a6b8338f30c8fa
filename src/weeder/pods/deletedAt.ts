import { numberOf, objectOf, timeOf } from '@weeder/kube-runtime/base';

/**
 * When the API server accepted the deletion of a pod that is terminating: epoch milliseconds by its clock. Undefined:
 * the pod is not terminating.
 */
export function deletedAtOf(pod: unknown): number | undefined {
  const { deletionTimestamp, deletionGracePeriodSeconds } = objectOf(objectOf(pod)['metadata']);
  const endsAt = timeOf(deletionTimestamp);
  return endsAt === undefined ? undefined : endsAt - (numberOf(deletionGracePeriodSeconds) ?? 0) * 1000;
}
