import type { Clock } from '@weeder/kube-runtime/base';
import type { Actor } from 'xstate';
import type { PodState, Protection, podDeletion } from '../../../machines/weeder/podDeletion.ts';
import { maintenanceOpensAt } from '../../config/maintenance.ts';
import type { CrashLoopingPod } from '../pods/crashLooping.ts';
import type { DeletionPolicy } from './deletePod.ts';
import { likelyPull, soonerRestart } from './deletionCost.ts';
import type { DeletionRequest } from './deletionRequest.ts';
import type { Place } from './pacedQueue.ts';
import type { ReplacementBackOff } from './replacementBackOff.ts';

/** The state of one pod whose deletion a window requests or has requested. */
export interface DeletionEntry {
  readonly actor: Actor<typeof podDeletion>;
  /** The request that observed the pod first. The outcome counts for its window. */
  owner: DeletionRequest;
  /** Other requests for this pod, in the order in which they observed it. The first one follows the owner. */
  waiting: readonly DeletionRequest[];
  /** Requests whose deletion the API server has rejected: it is not tried again for them. */
  readonly rejected: ReadonlySet<DeletionRequest>;
  /** The request whose attempt is in flight. */
  sentFor: DeletionRequest | undefined;
  pod: CrashLoopingPod;
  /** Since when the pod is in an unreported back-off, by the monotonic clock. */
  unreportedSince: number | undefined;
  /** How the latest attempt was sent. */
  how: DeletionPolicy['deletion'];
  /** The slot of the latest attempt, or its place in the queue. */
  slot: Place | undefined;
  /** When the API server accepted a deletion of the pod; epoch milliseconds by the API server's clock. */
  deletedAt: number | undefined;
  /** The wait that was reported last. */
  reportedWait: string | undefined;
  /** Why the API server refused the latest attempt, and what to do about it. Undefined: it refused none. */
  refusal: string | undefined;
}

/** Whether a window still requests the deletion. */
export function isRequested({ owner, pod }: Pick<DeletionEntry, 'owner' | 'pod'>): boolean {
  return owner.uids.has(pod.uid);
}

export function isActive({ actor }: DeletionEntry): boolean {
  return actor.getSnapshot().status === 'active';
}

/** Why a pod is never deleted under this policy. */
export function protectionBy({ barePods }: DeletionPolicy, { protection }: CrashLoopingPod): Protection {
  return protection === 'barePod' && barePods === 'delete' ? 'none' : protection;
}

interface StateSources {
  readonly clock: Clock;
  readonly backOff: ReplacementBackOff;
  readonly logLines: () => number;
  /** Another service on which the pod depends, and which is down. */
  readonly heldBy: (pod: CrashLoopingPod, window: DeletionRequest['window']) => string | undefined;
}

/** The state of the pod on which the `podDeletion` machine decides. */
export function stateOf(
  { owner, pod, unreportedSince }: Pick<DeletionEntry, 'owner' | 'pod' | 'unreportedSince'>,
  { clock, backOff, logLines, heldBy }: StateSources,
): PodState {
  const isPull = pod.cause === 'imagePull';
  const { openedAt, closesAt, index } = owner;
  const seen = { openedAt, closesAt, firstSeen: index.firstSeen(pod.uid) ?? openedAt };
  return {
    resourceVersion: pod.resourceVersion,
    unreportedSince,
    pausedUntil: backOff.dueAt(pod),
    maintenanceFrom: maintenanceOpensAt(owner.policy.maintenanceWindows, clock),
    restart: isPull ? likelyPull(pod, seen, clock) : soonerRestart(pod, owner.policy, clock),
    heldBy: heldBy(pod, owner.window),
    closesAt,
    // A container that has never run has no log.
    logLines: isPull ? 0 : logLines(),
  };
}
