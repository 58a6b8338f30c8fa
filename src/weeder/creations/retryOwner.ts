/**
 * Changes an annotation of an object that lacks pods: for its controller each change of the object is a reason to try
 * again at once, however long it would have waited. Its spec stays as it is, so that nothing is rolled out. The API
 * server accepts the change only while the object has the uid and resourceVersion that were read.
 */

import { type Clock, objectOf, sleep } from '@weeder/kube-runtime/base';
import type { ApiFailure, KubeClient } from '@weeder/kube-runtime/client';
import { apiPath, identityOf } from '@weeder/kube-runtime/objects';
import { type FailedAnswer, failedAnswer } from '../deletions/failedAnswer.ts';
import { ownerApis, type PodOwner } from '../owners/failedCreate.ts';
import { podCountsOf } from '../owners/podCounts.ts';

/** When weeder had the controller of the object create its pods again, in RFC 3339. */
const retriedAt = 'weeder.dev/retried-at';

/** The events of the `podCreation` machine; `existing`: how many pods the object had. */
export type RetryAnswer =
  | { readonly type: 'retry.accepted'; readonly existing: number }
  | { readonly type: 'retry.unneeded' }
  | FailedAnswer<'retry'>;

export interface OwnerRequests {
  /** `isRequested`: asked before each request, whether a window still wants it. */
  retryOwner(owner: PodOwner, signal: AbortSignal, isRequested: () => boolean): Promise<RetryAnswer>;
  /** Resolves once the object has more than `existing` pods, or when that cannot be known. */
  awaitPod(owner: PodOwner, existing: number, signal: AbortSignal): Promise<void>;
}

/** Of a weeder that observes only. */
export const retryNothing: OwnerRequests = {
  retryOwner: async () => ({ type: 'retry.unneeded' }),
  awaitPod: async () => {},
};

const readEvery = 100;

export function ownerRequestsThrough(client: Pick<KubeClient, 'call' | 'server'>, clock: Clock): OwnerRequests {
  const { server } = client;
  const failure = (failed: ApiFailure) =>
    failedAnswer('retry', failed, { server, unwanted: 'no window requests the retry any longer' });
  return {
    async retryOwner(owner, signal, isNeeded) {
      const path = pathOf(owner);
      const read = await client.call({ method: 'GET', path, signal, isNeeded });
      if (!read.ok) return failure(read.failure);
      const object = objectOf(read.body);
      const { uid, resourceVersion } = identityOf(object) ?? {};
      if (uid !== owner.uid) return { type: 'retry.notFound' };
      const { existing, wanted } = podCountsOf(owner.kind, object);
      if (existing >= wanted) return { type: 'retry.unneeded' };
      const annotations = { [retriedAt]: new Date(clock.now()).toISOString() };
      const written = await client.call({
        method: 'PATCH',
        path,
        contentType: 'application/merge-patch+json',
        body: { metadata: { uid, resourceVersion, annotations } },
        onlyStatus: true,
        signal,
        isNeeded,
      });
      return written.ok ? { type: 'retry.accepted', existing } : failure(written.failure);
    },
    async awaitPod(owner, existing, signal) {
      const path = pathOf(owner);
      let isWaiting = true;
      while (isWaiting) {
        await sleep(clock, readEvery);
        const read = await client.call({ method: 'GET', path, signal });
        isWaiting = read.ok && podCountsOf(owner.kind, objectOf(read.body)).existing <= existing;
      }
    },
  };
}

/** The path of an object in the API. */
function pathOf({ kind, namespace, name }: PodOwner): string {
  return apiPath(ownerApis[kind], `${kind.toLowerCase()}s`, { namespace, name });
}
