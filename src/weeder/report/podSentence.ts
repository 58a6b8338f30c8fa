/**
 * Why a pod is, is not, or was deleted, in one sentence: the answer of the running weeder to its live page, and of
 * `weeder explain pod`. Does not decide anything: it puts into words what the machines, the indexes and the policies
 * of the services have decided. Times in it are UTC, as in RFC 3339.
 */

import { timeInSeconds } from '@weeder/kube-runtime/base';
import { partsOf } from '@weeder/kube-runtime/objects';
import type { Protection } from '../../../machines/weeder/podDeletion.ts';
import { describePace } from '../../config/describeSettings.ts';
import type { DeletionProgress } from '../deletions/deletionProgress.ts';
import type { CrashLoopingPod } from '../pods/crashLooping.ts';
import type { NeverStarted } from '../pods/neverStarted.ts';
import type { PodReport } from './podReport.ts';
import { serviceOf, skippedBecause, waitBecause, whyWaits } from './wording.ts';

/** A service that selects the pod, or that the pod declares. */
export interface SelectingService {
  readonly namespace: string;
  readonly service: string;
  readonly isReady: boolean;
  readonly exists: boolean;
  /** Epoch milliseconds. Undefined: it is not known. */
  readonly since: number | undefined;
  /** `unknown`: only the running weeder knows. */
  readonly window: 'none' | 'open' | 'held' | 'unknown';
  /** Why no window of it deletes the pod. */
  readonly protection: Protection;
  /** A dependant that runs again opens a window. */
  readonly hasSiblingEvidence?: boolean;
}

/** The state of the pod. `unseen`: the running weeder keeps nothing of pods that neither crash-loop nor cannot start. */
export type SeenPod =
  /** The weeder does not run in this process. */
  | { readonly type: 'unknown' }
  | { readonly type: 'unseen' }
  | { readonly type: 'crashLooping'; readonly pod: CrashLoopingPod }
  | { readonly type: 'neverStarted'; readonly pod: NeverStarted }
  /** `state`: such as `Running, Ready`. */
  | { readonly type: 'notCrashLooping'; readonly uid: string; readonly state: string }
  /** `since`: epoch milliseconds. */
  | { readonly type: 'terminating'; readonly uid: string; readonly since: number | undefined };

/** Everything on which the answer depends. */
export interface PodFacts {
  readonly seen: SeenPod;
  readonly services: readonly SelectingService[];
  /** Undefined: no window requests its deletion. */
  readonly progress: DeletionProgress | undefined;
  /** The deletions of all pods. */
  readonly queue: { readonly inFlight: number; readonly queued: number };
  readonly report: PodReport | undefined;
}

export function podSentence(facts: PodFacts): string {
  const { seen, services, report } = facts;
  if (seen.type === 'unknown')
    return report?.sentence ?? 'Not known: the weeder does not run in this process, or has not read the cluster yet.';
  // The running weeder keeps nothing of other pods: what only `weeder explain` reads comes after its sentence.
  const asUnseen = report?.sentence ?? 'Not deleted: no dependant of a service that crash-loops now has this name.';
  if (seen.type === 'unseen') return asUnseen;
  if (seen.type === 'terminating')
    return isOf(report, seen.uid)
      ? report.sentence
      : `${asUnseen} ${ofThisName} has been terminating${since(seen.since)}.`;
  if (services.length === 0)
    return `${asUnseen} No podSelector of the config selects the pod of this name, and it declares no service that is watched.`;
  if (seen.type === 'notCrashLooping') return `${asUnseen} ${ofThisName} does not crash-loop (${seen.state}).`;
  if (seen.type === 'neverStarted') {
    const { container, reason, because } = seen.pod;
    return `Not deleted: container ${container} has never started (${reason}), because ${because}.`;
  }
  return ofCrashLooping(facts, seen.pod);
}

const ofThisName = 'The pod of this name';

function ofCrashLooping(facts: PodFacts, pod: CrashLoopingPod): string {
  const { services, progress, report } = facts;
  const isReported = isOf(report, pod.uid);
  const allowing = services.filter(({ protection }) => protection === 'none');
  if (allowing.length === 0) return `Skipped: ${skippedBecause[services[0]?.protection ?? 'none']}.`;
  const inProgress = progress && ofProgress(progress, facts, pod);
  if (inProgress !== undefined) return inProgress;
  if (isReported && (progress !== undefined || report.type === 'deleted')) return report.sentence;
  const worst = allowing.find(({ isReady }) => !isReady) ?? newestOf(allowing);
  const held = allowing.find(({ window }) => window === 'held');
  const open = allowing.find(({ window }) => window === 'open');
  if (open !== undefined) return `A window of ${nameOf(open, pod)} is open, and the deletion is about to be decided.`;
  if (held !== undefined)
    return `Not deleted: the window of ${nameOf(held, pod)} is held, because the service ${readiness(held)}.`;
  if (isReported && report.type === 'notDeleted') return report.sentence;
  if (worst === undefined) return '';
  const state = `${nameOf(worst, pod)} ${readiness(worst)}`;
  if (worst.window === 'none') return `Not deleted: no window is open, and ${state}.${nextWindow(worst)}`;
  return worst.isReady
    ? `Deleted only while a window is open: ${state}, and only the running weeder knows whether one is.`
    : `Not deleted now: ${state}, and a window opens when it recovers.`;
}

/** Undefined: the last report says more. */
function ofProgress(progress: DeletionProgress, { queue }: PodFacts, pod: CrashLoopingPod): string | undefined {
  switch (progress.type) {
    case 'waiting': {
      const { reason, until, heldBy } = progress;
      if (heldBy !== undefined)
        return `Waits for ${nameOf(serviceIn(heldBy), pod)}: ${waitBecause.dependencyNotReady}.`;
      const because =
        reason === 'settling'
          ? `container ${pod.container} has just ended, and may be restarted at once`
          : whyWaits(reason, pod);
      return `Waits until ${timeInSeconds(until)}: ${because}.`;
    }
    case 'readingLog':
      return `About to be deleted: the log of container ${pod.container} is read first.`;
    case 'paced': {
      const { pace, waiting } = progress;
      return `Queued by the pace of ${nameOf(progress, pod)}, ${describePace(pace)}: waiting ${waiting}.`;
    }
    case 'queued':
      return `Queued for a slot: in flight ${queue.inFlight}, waiting ${queue.queued}.`;
    case 'deleting':
      return 'Being deleted: the request was sent.';
    case 'conflicted':
      return 'Not deleted yet: the API server has a newer state of the pod, by which the deletion is decided again.';
    default:
      return undefined;
  }
}

/** A further sentence, if the EndpointSlices do not decide alone. */
function nextWindow({ hasSiblingEvidence, exists, isReady }: SelectingService): string {
  return hasSiblingEvidence === true && (isReady || !exists) ? ' One opens if another dependant of it runs again.' : '';
}

function isOf(report: PodReport | undefined, uid: string): report is PodReport {
  return report?.uid === uid;
}

function newestOf(services: readonly SelectingService[]): SelectingService | undefined {
  return services.toSorted((a, b) => (b.since ?? 0) - (a.since ?? 0))[0];
}

function serviceIn(key: string): { readonly namespace: string; readonly service: string } {
  const { namespace, name: service } = partsOf(key);
  return { namespace, service };
}

function nameOf({ namespace, service }: Pick<SelectingService, 'namespace' | 'service'>, pod: CrashLoopingPod): string {
  return serviceOf({ namespace, service, pod });
}

/** What comes after the name of the service. */
function readiness({ isReady, exists, since: at }: SelectingService): string {
  if (!exists) return `has had no EndpointSlice${since(at)}`;
  if (at === undefined) return isReady ? 'is ready' : 'is down';
  return `has been ${isReady ? 'ready' : 'down'}${since(at)}`;
}

function since(at: number | undefined): string {
  return at === undefined ? '' : ` since ${timeInSeconds(at)}`;
}
