import type { Protection, WaitReason } from '../../../machines/weeder/podDeletion.ts';
import type { CrashLoopingPod } from '../pods/crashLooping.ts';
import type { NeverStarted } from '../pods/neverStarted.ts';

/** Which window of which service. */
export interface WindowRef {
  readonly namespace: string;
  readonly service: string;
  /** Counts the windows of this service, from 1. */
  readonly window: number;
}

/**
 * Everything the weeder has to say while it works, one object a fact; whoever wants to know (log, metrics, Events,
 * recording) is told all of them. Times and durations are milliseconds.
 */
export type WeederEvent =
  /** It was ready when weeder started, or still is after a gap, and no window is due. */
  | { readonly type: 'service.ready'; readonly namespace: string; readonly service: string }
  | { readonly type: 'service.notReady'; readonly namespace: string; readonly service: string }
  | ({ readonly type: 'window.opened'; readonly duration: number } & WindowRef)
  | ({
      readonly type: 'window.closed';
      /** Dependants that never started, each with why a fresh pod would not either; undefined: there are none. */
      readonly neverStarted?: readonly NeverStarted[];
      /** This replica leads no more: the window goes on at the one that does. */
      readonly isHandedOver?: true;
    } & WindowRef &
      WindowCounts)
  | ({ readonly type: 'pod.deleted' } & ConcernsPod & DeletionDetails)
  /** A standing state, which each window is told of for itself, once. */
  | ({ readonly type: 'pod.skipped'; readonly pod: CrashLoopingPod; readonly reason: Protection } & WindowRef)
  | ({ readonly type: 'pod.recovered' } & ConcernsPod)
  /** Another client deleted it, or the selector no longer selects it. */
  | ({ readonly type: 'pod.gone' } & ConcernsPod)
  /** A deletion is possible, and waits for `waitIn` before it is weighed again. */
  | ({ readonly type: 'deletion.pending'; readonly reason: WaitReason; readonly waitIn: number } & ConcernsPod)
  /** The window closed before a deletion was due: none was tried. */
  | ({ readonly type: 'deletion.expired'; readonly reason: WaitReason | 'tooLate' } & ConcernsPod)
  | ({ readonly type: 'deletion.refused' } & ConcernsPod & Refusal)
  /** The service is down again: a later window may take it up. */
  | ({ readonly type: 'deletion.blocked' } & ConcernsPod)
  | ({ readonly type: 'deletion.failed'; readonly reason: string } & ConcernsPod)
  /** A mistake in weeder itself: it goes on, and says so. */
  | { readonly type: 'actor.failed'; readonly actor: string; readonly error: unknown };

/**
 * What happened to a pod is one fact, however many windows it concerns: whoever counts facts counts each pod once. The
 * fact names the window that wanted the pod first.
 */
interface ConcernsPod extends WindowRef {
  readonly pod: CrashLoopingPod;
  /** The other windows that it concerns, for whoever counts by window; nearly always none. */
  readonly also: readonly WindowRef[];
}

interface DeletionDetails {
  /** Since the window that is named opened. */
  readonly sinceOpened: number;
  readonly how: 'delete' | 'evict' | 'dryRun';
  /** The pod replaced one that was deleted in the same window: what its deletion saves was counted then. */
  readonly isRepeated: boolean;
}

interface Refusal {
  readonly reason: string;
  /** The class of the error: a FailureKind, or `other`. */
  readonly failure: string;
  readonly attempt: number;
  readonly retryIn: number;
}

/** How the pods of a window fared. */
interface WindowCounts {
  readonly deleted: number;
  readonly skipped: number;
  /** `namespace/name` of the pods whose deletion did not succeed before the window closed. */
  readonly failed: readonly string[];
}

export type ReportWeeder = (fact: WeederEvent) => void;

/** Which window something of more fields is about: those that name the window, and no others. */
export function windowRefOf({ namespace, service, window }: WindowRef): WindowRef {
  return { namespace, service, window };
}

/**
 * What a replica tells of a window once it leads no more: the window goes on at the replica that leads now, which starts
 * with what it finds. So nothing was given up, and how it ended is not this one's to tell. Undefined: nothing at all.
 */
export function withoutLeadership(fact: WeederEvent): WeederEvent | undefined {
  switch (fact.type) {
    case 'deletion.failed':
    case 'deletion.expired':
    case 'deletion.refused':
      return undefined;
    case 'window.closed':
      return { ...fact, failed: [], isHandedOver: true };
    default:
      return fact;
  }
}
