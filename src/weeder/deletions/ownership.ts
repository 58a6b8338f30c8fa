import type { EndOfRequest } from '../../../machines/weeder/podDeletion.ts';
import type { CrashLoopingPod } from '../pods/crashLooping.ts';
import { type DeletionEntry, isActive, isRequested, protectionBy } from './deletionEntry.ts';
import type { DeletionRequest } from './deletionRequest.ts';

/**
 * Whose deletion a pod's actor makes: that of the request which observed the pod first. If it withdraws, the actor goes
 * over to the request that has waited longest. An attempt in flight is awaited by the request that it was sent for, and
 * by the one that owns the actor meanwhile.
 */
interface Ownership {
  /** A request for a pod that has an actor: it waits, or continues what the owner has withdrawn. */
  join(request: DeletionRequest, entry: DeletionEntry, pod: CrashLoopingPod): void;
  /** The request ends for one pod. `recovered`, `removed`: its stream no longer has the pod as crash-looping. */
  release(request: DeletionRequest, uid: string, because: EndOfRequest | 'recovered' | 'removed'): void;
  /** The outcome of the attempt is known, or there will be none. */
  endAttempt(entry: DeletionEntry): void;
  /** Calls `done` once the outcomes of all attempts are known that the request awaits. */
  whenIdle(request: DeletionRequest, done: () => void): void;
}

/** The requests that a new actor of the same pod begins with, beside its owner. */
export type OtherRequests = Pick<DeletionEntry, 'waiting' | 'rejected'>;

interface OwnershipOptions {
  readonly entryOf: (uid: string) => DeletionEntry | undefined;
  /** Replaces the entry of the pod by one with a new actor. */
  readonly create: (owner: DeletionRequest, pod: CrashLoopingPod, others: OtherRequests) => void;
  readonly forget: (uid: string) => void;
  /** Informs the actor about the pod, as the stream of the owner has it. */
  readonly take: (entry: DeletionEntry, pod: CrashLoopingPod) => void;
  /** The pod waits from now on for the pace of its owner. */
  readonly repace: (entry: DeletionEntry) => void;
}

export function createOwnership({ entryOf, create, forget, take, repace }: OwnershipOptions): Ownership {
  const idle = new Map<DeletionRequest, () => void>();

  /** The request awaits no outcome for this pod any more. */
  function settle(request: DeletionRequest, uid: string): void {
    request.pending.delete(uid);
    if (request.pending.size > 0) return;
    idle.get(request)?.();
    idle.delete(request);
  }

  function own(entry: DeletionEntry, request: DeletionRequest): void {
    const { owner, sentFor, pod } = entry;
    entry.owner = request;
    if (sentFor === undefined) return;
    request.pending.add(pod.uid);
    if (owner !== sentFor && owner !== request) settle(owner, pod.uid);
  }

  /** `hasLeft`: the owner's stream knows a newer state, which the stream of the next request may not have yet. */
  function handOver(entry: DeletionEntry, next: DeletionRequest, hasLeft: boolean): void {
    entry.waiting = entry.waiting.filter((each) => each !== next);
    const pod = next.index.get(entry.pod.uid) ?? entry.pod;
    const isOld = hasLeft && pod.resourceVersion === entry.pod.resourceVersion;
    if (!wasRejected(entry)) {
      own(entry, next);
      if (!isOld) take(entry, pod);
      repace(entry);
    } else if (isOld) forget(pod.uid);
    else create(next, pod, othersAfter(entry));
  }

  /** The pod was handled. The entry remains for a request whose deletion was rejected, so that it is not tried again. */
  function leave(entry: DeletionEntry): void {
    const { uid } = entry.pod;
    const other = [...entry.rejected].find(({ uids }) => uids.has(uid));
    if (other === undefined) forget(uid);
    else entry.owner = other;
  }

  return {
    join(request, entry, pod) {
      const isFree = !isRequested(entry);
      request.uids.add(pod.uid);
      // Each window tries a rejected deletion once more, so that its results include the rejection, too.
      if (wasRejected(entry)) create(request, pod, othersAfter(entry));
      else if (isFree) {
        if (isActive(entry)) entry.actor.send({ type: 'deletion.requested' });
        own(entry, request);
        take(entry, pod);
      } else entry.waiting = [...entry.waiting, request];
    },
    release(request, uid, because) {
      const entry = entryOf(uid);
      if (!request.uids.delete(uid) || entry === undefined) return;
      if (entry.owner !== request) {
        entry.waiting = entry.waiting.filter((each) => each !== request);
        return;
      }
      const next = entry.waiting.find((each) => canFollow(each, uid));
      const hasLeft = because === 'recovered' || because === 'removed';
      if (next !== undefined) handOver(entry, next, hasLeft);
      else if (!isActive(entry)) leave(entry);
      else if (hasLeft) entry.actor.send({ type: `pod.${because}` });
      else entry.actor.send({ type: 'deletion.withdrawn', because });
    },
    endAttempt(entry) {
      const { sentFor, owner, pod } = entry;
      if (sentFor === undefined) return;
      entry.sentFor = undefined;
      settle(sentFor, pod.uid);
      settle(owner, pod.uid);
    },
    whenIdle(request, done) {
      if (request.pending.size === 0) done();
      else idle.set(request, done);
    },
  };
}

function wasRejected({ actor }: DeletionEntry): boolean {
  return actor.getSnapshot().matches('abandoned');
}

/** Those of the next actor, after the deletion of the owner was rejected. */
function othersAfter({ waiting, rejected, owner }: DeletionEntry): OtherRequests {
  return { waiting, rejected: new Set([...rejected, owner]) };
}

/** Whether the pod, as the stream of the request has it now, may be deleted: it may be about to learn that it may not. */
function canFollow({ index, policy }: DeletionRequest, uid: string): boolean {
  const pod = index.get(uid);
  return pod !== undefined && protectionBy(policy, pod) === 'none';
}
