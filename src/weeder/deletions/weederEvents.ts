import type { ObjectRef } from '@weeder/kube-runtime/events';
import type { Protection, WaitReason } from '../../../machines/weeder/podDeletion.ts';
import type { ActorFailed, Retry } from '../../controller/report/commonEvents.ts';
import type { RefusedCreation } from '../owners/ownerIndex.ts';
import type { CrashLoopingPod } from '../pods/crashLooping.ts';
import type { NeverStarted } from '../pods/neverStarted.ts';

/** Identifies one window of one service. */
export interface WindowRef {
  readonly namespace: string;
  readonly service: string;
  /** The number of the window within its service, from 1. */
  readonly window: number;
  /** Why it is open, if not because of EndpointSlices, such as `Deployment shop/web runs again`. */
  readonly because?: string;
}

/**
 * Everything that the weeder reports while it runs, one object per event. Log, metrics, Events and recording receive all
 * of them. Times and durations are milliseconds.
 */
export type WeederEvent =
  /** The service was ready when weeder started, or still is after a gap, and no window is due. */
  | { readonly type: 'service.ready'; readonly namespace: string; readonly service: string }
  | { readonly type: 'service.notReady'; readonly namespace: string; readonly service: string }
  | ({ readonly type: 'window.opened'; readonly duration: number } & WindowRef)
  /** A dependant runs again, and dependants have opened `limit` windows of the service within an hour. Once for these. */
  | ({ readonly type: 'window.withheld'; readonly because: string; readonly limit: number } & Omit<WindowRef, 'window'>)
  | ({
      readonly type: 'window.closed';
      /** Dependants that never started, each with the reason why it is left alone; undefined: there are none. */
      readonly neverStarted?: readonly NeverStarted[];
      /** This replica may delete nothing more, and the window continues there. */
      readonly handedOverTo?: Successor;
      /** The service has recovered again since it opened, so that a newer window was opened before it closed. */
      readonly isReplaced?: true;
    } & WindowRef &
      WindowCounts)
  /** The end of the log of the crashed container, before its pod is deleted. */
  | ({ readonly type: 'pod.logRead'; readonly lines: readonly string[] } & ConcernsPod)
  | ({ readonly type: 'pod.deleted' } & ConcernsPod & DeletionDetails)
  /** A lasting condition, which is reported once to each window. */
  | ({ readonly type: 'pod.skipped'; readonly pod: CrashLoopingPod; readonly reason: Protection } & WindowRef)
  | ({ readonly type: 'pod.recovered' } & ConcernsPod)
  /** Another client deleted the pod, or the selector no longer selects it. */
  | ({ readonly type: 'pod.removed' } & ConcernsPod)
  /** A deletion is possible, and waits for `waitIn` before it is decided again, or until the service `heldBy` is ready. */
  | ({ readonly type: 'deletion.pending'; readonly reason: WaitReason; readonly waitIn: number } & ConcernsPod & HeldBy)
  /** The window closed before a deletion was due: none was attempted. */
  | ({ readonly type: 'deletion.expired'; readonly reason: WaitReason | 'tooLate' } & ConcernsPod)
  | ({ readonly type: 'deletion.refused' } & ConcernsPod & Retry)
  /** The service is down again: a later window may delete the pod. */
  | ({ readonly type: 'deletion.blocked' } & ConcernsPod)
  | ({ readonly type: 'deletion.failed'; readonly reason: string } & ConcernsPod)
  /** The controller of an object creates its missing pods again. */
  | ({ readonly type: 'creation.retried'; readonly sinceOpened: number; readonly isDryRun: boolean } & ConcernsOwner)
  /** An object whose pods a webhook refused has them all. */
  | ({ readonly type: 'creation.unneeded' } & ConcernsOwner)
  | ({ readonly type: 'creation.refused' } & ConcernsOwner & Retry)
  | ({ readonly type: 'creation.failed'; readonly reason: string } & ConcernsOwner)
  /** More objects of the namespace lack pods than weeder follows: those whose newest failure is the oldest are not retried. */
  | { readonly type: 'creations.dropped'; readonly namespace: string }
  /** Pods of the workload declare a dependency that is not followed as written; once for each problem of a workload. */
  | { readonly type: 'declaration.problem'; readonly workload: ObjectRef; readonly problem: string }
  | ActorFailed;

/** An outcome for a pod is one event: it counts for the window whose podSelector observed the pod first. */
interface ConcernsPod extends WindowRef {
  readonly pod: CrashLoopingPod;
}

/** An outcome for an object that creates pods counts for one window, too. */
interface ConcernsOwner extends WindowRef, RefusedCreation {}

interface HeldBy {
  /** Another service on which the pod depends, and which is down: `namespace/name`. */
  readonly heldBy?: string;
}

interface DeletionDetails {
  /** Since the window opened. */
  readonly sinceOpened: number;
  readonly how: 'delete' | 'evict' | 'dryRun';
  /** The pod replaced one that was deleted in the same window: the time saved was counted for that one. */
  readonly isRepeated: boolean;
}

/** The outcomes of a window, counted by pod. */
interface WindowCounts {
  readonly deleted: number;
  /** The objects whose pods a webhook had refused. Left out: none. */
  readonly retried?: number;
  readonly skipped: number;
  /** `namespace/name` of the pods whose deletion did not succeed before the window closed. */
  readonly failed: readonly string[];
}

/** Who continues a window: the replica that holds the Lease now, or the next one, if weeder stops. */
type Successor = 'the leader' | 'the next weeder';

export type ReportWeeder = (event: WeederEvent) => void;

/** Picks the fields that identify the window from an object with more fields. */
export function windowRefOf({
  namespace,
  service,
  window,
  because,
}: Omit<WindowRef, 'because'> & { readonly because?: string | undefined }): WindowRef {
  return { namespace, service, window, ...(because === undefined ? {} : { because }) };
}

/**
 * The event as a replica reports it that has lost the Lease. The window continues at the new leader, which starts from
 * the current state, so this replica reports neither a failed deletion nor the end of a window. Returns undefined if
 * nothing is reported.
 */
export function withoutLeadership(event: WeederEvent): WeederEvent | undefined {
  switch (event.type) {
    case 'deletion.failed':
    case 'deletion.expired':
    case 'deletion.refused':
    case 'creation.failed':
    case 'creation.refused':
      return undefined;
    case 'window.closed': {
      const { neverStarted: _leftAlone, ...closed } = event;
      return { ...closed, failed: [], handedOverTo: 'the leader' };
    }
    default:
      return event;
  }
}
