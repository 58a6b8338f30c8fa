import type { Actor } from 'xstate';
import type { PodState, Protection, podDeletion, WaitReason } from '../../../machines/weeder/podDeletion.ts';
import type { Clock } from '../../base/clock.ts';
import type { Release } from '../../queue/limitedQueue.ts';
import type { CrashLoopingPod } from '../pods/crashLooping.ts';
import type { DeletionPolicy } from './deletePod.ts';
import { waitForRestart } from './deletionCost.ts';
import { type WindowRef, windowRefOf } from './weederEvents.ts';
import type { DeletionRequest, WindowEntry } from './windowEntry.ts';

/** Why a window no longer requests the deletion of a pod; `reconfigured`: the config has changed. */
export type WithdrawalReason = 'recovered' | 'removed' | 'over' | 'reconfigured' | 'held';

/** The state of one pod whose deletion a window requests or has requested. */
export interface DeletionEntry {
  readonly actor: Actor<typeof podDeletion>;
  readonly requests: Set<DeletionRequest>;
  /** The requests that were withdrawn while an attempt was in flight, and why: they receive its outcome, too. */
  readonly withdrawn: Map<DeletionRequest, WithdrawalReason>;
  pod: CrashLoopingPod;
  /** The state that the actor was sent last. */
  reported: PodState;
  /** How the latest attempt was sent. */
  how: DeletionPolicy['deletion'];
  /** Releases the slot of the latest attempt, or its place in the queue. */
  slot: Release | undefined;
  /** When the API server accepted a deletion of the pod; epoch milliseconds by the API server's clock. */
  deletedAt: number | undefined;
  /** The wait that was reported last. */
  reportedWait: string | undefined;
}

const allEndings = ['recovered', 'removed', 'over', 'reconfigured', 'held', undefined] as const;

/** Windows without duplicates; the one that requested the deletion first comes first. */
type ConcernedWindows = readonly [WindowEntry, ...WindowEntry[]];

/**
 * The policy for an attempt that is sent now. Undefined if no open window requests one; a window whose timer is late
 * counts as closed.
 */
export function policyNow({ requests, pod }: DeletionEntry, now: number): DeletionPolicy | undefined {
  return [...requests].find((request) => now <= request.window.closesAt && permits(request, pod))?.policy;
}

/** The maximum time for which the `podDeletion` machine waits for a log. Milliseconds. */
const longestRead = 500;

/** How many lines of the log are read: none if the windows may close meanwhile, because the deletion would fail then. */
export function linesToRead(wanted: number, requests: Iterable<DeletionRequest>, now: number): number {
  return [...requests].some(({ window }) => now + longestRead < window.closesAt) ? wanted : 0;
}

/** The state of the pod on which the `podDeletion` machine decides. */
export function stateOf(pod: CrashLoopingPod, requests: readonly DeletionRequest[], clock: Clock): PodState {
  const { resourceVersion } = pod;
  return {
    resourceVersion,
    settleIn: settleIn(pod, requests),
    protection: protectionFor(pod, requests),
    ...waitOf(pod, requests, clock),
  };
}

/** A bare pod is not protected if at least one of the windows deletes bare pods. */
export function protectionFor({ protection }: CrashLoopingPod, requests: readonly DeletionRequest[]): Protection {
  const canDeleteBarePods = requests.some((request) => request.policy.barePods === 'delete');
  return protection === 'barePod' && canDeleteBarePods ? 'none' : protection;
}

/** How long the deletion waits because it would be too early, or would bring the pod back later than a restart. */
export function waitOf(
  pod: CrashLoopingPod,
  requests: Iterable<DeletionRequest>,
  clock: Clock,
): Pick<PodState, 'waitIn' | 'waitReason'> {
  const waits = [...requests]
    .filter((request) => permits(request, pod))
    .map(({ window, policy }) => longest(window.rounds.pauseLeft(pod), waitForRestart(pod, policy, clock.now())));
  return waits.sort((a, b) => a.waitIn - b.waitIn)[0] ?? { waitIn: 0, waitReason: undefined };
}

function longest(pause: number, restart: number): { waitIn: number; waitReason: WaitReason | undefined } {
  if (pause === 0 && restart === 0) return { waitIn: 0, waitReason: undefined };
  return restart >= pause
    ? { waitIn: restart, waitReason: 'restartIsSooner' }
    : { waitIn: pause, waitReason: 'coolingDown' };
}

/**
 * Milliseconds until the pod's silent back-off counts as one. Streams that do not have this version of the pod are
 * ignored.
 */
export function settleIn({ uid, resourceVersion }: CrashLoopingPod, requests: Iterable<DeletionRequest>): number {
  const indexes = [...requests].map((request) => request.index);
  const current = indexes.filter((index) => index.get(uid)?.resourceVersion === resourceVersion);
  return Math.min(...current.map((index) => index.settleIn(uid)));
}

/** The windows whose stats count a deletion: those that requested it while it was in flight. */
export function requestedBy({ withdrawn, requests, pod }: DeletionEntry): ConcernedWindows | undefined {
  const requesting = [...withdrawn.keys(), ...requests].filter(
    (request) => permits(request, pod) && request.window.pending.has(pod.uid),
  );
  return someOf(requesting.map((request) => request.window));
}

/**
 * The windows that an outcome concerns, selected by why they withdrew their request; undefined: they have not withdrawn
 * it.
 */
export function concernedBy(
  { withdrawn, requests }: DeletionEntry,
  endings: readonly (WithdrawalReason | undefined)[] = allEndings,
): ConcernedWindows | undefined {
  const newest = new Map<WindowEntry, WithdrawalReason | undefined>();
  for (const [request, ending] of withdrawn) newest.set(request.window, ending);
  for (const request of requests) newest.set(request.window, undefined);
  return someOf([...newest].filter(([, ending]) => endings.includes(ending)).map(([window]) => window));
}

/** The fields by which an event names the windows that it concerns. */
export function refsOf([first, ...others]: ConcernedWindows): WindowRef & { readonly also: readonly WindowRef[] } {
  return { ...windowRefOf(first), also: others.map(windowRefOf) };
}

/** A window whose policy keeps bare pods does not request their deletion. */
function permits({ policy }: DeletionRequest, { protection }: CrashLoopingPod): boolean {
  return protection === 'none' || policy.barePods === 'delete';
}

function someOf(windows: Iterable<WindowEntry>): ConcernedWindows | undefined {
  const [first, ...others] = new Set(windows);
  return first === undefined ? undefined : [first, ...others];
}
