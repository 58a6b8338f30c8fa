/**
 * Sends at most one request for each attempt. The API server executes it only while the pod has this uid and this
 * resourceVersion. Does not guarantee that a failed or conflicted attempt has not deleted the pod: the response to it,
 * or to an earlier one, may have been lost. A pod whose deletion is accepted may exist until its grace period ends, and
 * as long as it has finalizers.
 */

import type { ApiFailure, ApiRequest, KubeClient } from '@weeder/kube-runtime/client';
import { describeFailure, isRecoverable, notLeading } from '@weeder/kube-runtime/client';
import type { Identity } from '@weeder/kube-runtime/objects';
import type { PodDeletionEvent } from '../../../machines/weeder/podDeletion.ts';
import type { ServiceSettings } from '../../config/config.ts';
import { podPath } from '../pods/podPath.ts';

/** How the config has a service's dependants deleted. */
export type DeletionPolicy = Pick<ServiceSettings, 'barePods' | 'deletion' | 'gracePeriodSeconds'>;

/** One attempt to delete one pod in one state. */
export interface DeletionAttempt extends Identity {
  readonly policy: DeletionPolicy;
  /** Called immediately before the request is sent: whether an open window still requests the deletion. */
  readonly isRequested: () => boolean;
}

/** The API server's answer, as the event that the `podDeletion` machine takes. */
export type DeletionAnswer = Extract<PodDeletionEvent, { readonly type: `delete.${string}` }>;

/** The promise never rejects. */
export type DeletePod = (request: DeletionAttempt, signal: AbortSignal) => Promise<DeletionAnswer>;

/** Deletes or evicts pods through the API server. */
export function deleteThrough(client: Pick<KubeClient, 'call' | 'server'>): DeletePod {
  return async (request, signal) => {
    const result = await client.call({
      ...apiRequest(request),
      onlyStatus: true,
      signal,
      isNeeded: request.isRequested,
    });
    return result.ok ? { type: 'delete.accepted' } : answerTo(result.failure, client.server);
  };
}

/** `--dry-run`: everything but the deletion. */
export const deleteNothing: DeletePod = async () => ({ type: 'delete.accepted' });

function apiRequest({ uid, namespace, name, resourceVersion, policy }: DeletionAttempt): ApiRequest {
  const path = podPath(namespace, name);
  const { gracePeriodSeconds } = policy;
  const options = {
    preconditions: { uid, resourceVersion },
    ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
  };
  if (policy.deletion === 'delete') {
    return { method: 'DELETE', path, body: { apiVersion: 'v1', kind: 'DeleteOptions', ...options } };
  }
  const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name, namespace }, deleteOptions: options };
  return { method: 'POST', path: `${path}/eviction`, body: eviction };
}

/** A refusal comes with what to do about it: for a missing permission, the rule that grants it. */
function answerTo(failure: ApiFailure, server: string): DeletionAnswer {
  if (failure.type === 'notFound') return { type: 'delete.notFound' };
  if (failure.type === 'conflict') return { type: 'delete.conflicted' };
  if (failure.type === 'cancelled') {
    const reason = failure === notLeading ? failure.message : 'no window requests the deletion any longer';
    return { type: 'delete.failed', reason, failure: failure.type };
  }
  const reason = describeFailure(failure, server);
  if (!isRecoverable(failure)) return { type: 'delete.rejected', reason };
  return { type: 'delete.failed', reason, failure: failure.type, retryAfter: failure.retryAfterMs ?? 0 };
}
