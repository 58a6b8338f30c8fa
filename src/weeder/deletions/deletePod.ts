/**
 * Sends at most one request for each attempt. The API server executes it only while the pod has this uid and this
 * resourceVersion. Does not guarantee that a failed or conflicted attempt has not deleted the pod: the response to it,
 * or to an earlier one, may have been lost. A pod whose deletion is accepted may exist until its grace period ends, and
 * as long as it has finalizers.
 */

import type { ApiRequest, KubeClient } from '@weeder/kube-runtime/client';
import type { Identity } from '@weeder/kube-runtime/objects';
import type { PodDeletionEvent } from '../../../machines/weeder/podDeletion.ts';
import type { ServiceSettings } from '../../config/config.ts';
import { podPath } from '../pods/podPath.ts';
import { failedAnswer } from './failedAnswer.ts';

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
  const { server } = client;
  const unwanted = 'no window requests the deletion any longer';
  return async (request, signal) => {
    const result = await client.call({
      ...apiRequest(request),
      onlyStatus: true,
      signal,
      isNeeded: request.isRequested,
    });
    return result.ok ? { type: 'delete.accepted' } : failedAnswer('delete', result.failure, { server, unwanted });
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
  return { method: 'POST', path: podPath(namespace, name, 'eviction'), body: eviction };
}
