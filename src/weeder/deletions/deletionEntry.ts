import type { Actor } from 'xstate';
import type { PodState, podDeletion, WaitReason } from '../../../machines/weeder/podDeletion.ts';
import type { Clock } from '../../base/clock.ts';
import type { CrashLoopingPod } from '../pods/crashLooping.ts';
import type { PodIndex } from '../pods/podIndex.ts';
import type { DeletionPolicy } from './deletePod.ts';
import { waitForRestart } from './deletionCost.ts';
import { type WindowRef, windowRefOf } from './weederEvents.ts';
import type { WindowStats } from './windows.ts';

/** One podSelector of one open window: whoever requests pods deleted. */
export interface DeletionRequest {
  readonly stats: WindowStats;
  readonly policy: DeletionPolicy;
  readonly index: PodIndex;
  /** The pods it requests deleted, by uid. */
  readonly uids: Set<string>;
}

/** Why a window requests a pod deleted no more. */
export type WithdrawalReason = 'left' | 'gone' | 'over' | 'held';

/** What is known of a pod that a window requests, or wanted, deleted. */
export interface DeletionEntry {
  readonly actor: Actor<typeof podDeletion>;
  readonly requests: Set<DeletionRequest>;
  /** Who wanted it while the try that is on the way was, and why they ceased to: its outcome is theirs too. */
  readonly withdrawn: Map<DeletionRequest, WithdrawalReason>;
  pod: CrashLoopingPod;
  /** What the actor was told last. */
  reported: PodState;
  /** How the newest try was sent. */
  how: DeletionPolicy['deletion'];
  /** When the API server accepted a deletion of the pod, by its clock; epoch milliseconds. */
  deletedAt: number | undefined;
  /** The wait that was reported last. */
  reportedWait: string | undefined;
}

/** Windows, each once, the one that wanted the pod first in front. */
type ConcernedWindows = readonly [WindowStats, ...WindowStats[]];

/** The policy by which a try may be sent now; undefined: no window asks for one any more, even if its timer is late. */
export function policyNow({ requests, pod }: DeletionEntry, now: number): DeletionPolicy | undefined {
  return [...requests].find((want) => now <= want.stats.closesAt && permits(want, pod))?.policy;
}

/** How long the deletion waits because it would come too soon, or bring the pod back too late. */
export function waitOf(
  pod: CrashLoopingPod,
  requests: Iterable<DeletionRequest>,
  clock: Clock,
): Pick<PodState, 'waitIn' | 'waitReason'> {
  const waits = [...requests]
    .filter((want) => permits(want, pod))
    .map(({ stats, policy }) => longest(stats.rounds.pauseLeft(pod), waitForRestart(pod, policy, clock.now())));
  return waits.sort((a, b) => a.waitIn - b.waitIn)[0] ?? { waitIn: 0, waitReason: undefined };
}

function longest(pause: number, restart: number): { waitIn: number; waitReason: WaitReason | undefined } {
  if (pause === 0 && restart === 0) return { waitIn: 0, waitReason: undefined };
  return restart >= pause
    ? { waitIn: restart, waitReason: 'restartIsSooner' }
    : { waitIn: pause, waitReason: 'coolingDown' };
}

/** Milliseconds until its silent back-off counts as one; streams that have not come as far as it do not count. */
export function settleIn({ uid, resourceVersion }: CrashLoopingPod, requests: Iterable<DeletionRequest>): number {
  const indexes = [...requests].map((want) => want.index);
  const current = indexes.filter((index) => index.get(uid)?.resourceVersion === resourceVersion);
  return Math.min(...current.map((index) => index.settleIn(uid)));
}

/** Those in whose stats a deletion is: every window that asked for it while it was on the way. */
export function requestedBy({ withdrawn, requests, pod }: DeletionEntry): ConcernedWindows | undefined {
  const asking = [...withdrawn.keys(), ...requests].filter(
    (want) => permits(want, pod) && want.stats.pending.has(pod.uid),
  );
  return someOf(asking.map((want) => want.stats));
}

/** Those that an outcome concerns, by why they ceased to want the pod deleted; undefined: they still do. */
export function concernedBy(
  { withdrawn, requests }: DeletionEntry,
  endings: readonly (WithdrawalReason | undefined)[] = ['left', 'gone', 'over', 'held', undefined],
): ConcernedWindows | undefined {
  const newest = new Map<WindowStats, WithdrawalReason | undefined>();
  for (const [want, ending] of withdrawn) newest.set(want.stats, ending);
  for (const want of requests) newest.set(want.stats, undefined);
  return someOf([...newest].filter(([, ending]) => endings.includes(ending)).map(([stats]) => stats));
}

/** How a fact names the windows that it is about. */
export function refsOf([first, ...others]: ConcernedWindows): WindowRef & { readonly also: readonly WindowRef[] } {
  return { ...windowRefOf(first), also: others.map(windowRefOf) };
}

/** A window that keeps bare pods asks for none. */
function permits({ policy }: DeletionRequest, { protection }: CrashLoopingPod): boolean {
  return protection === 'none' || policy.barePods === 'delete';
}

function someOf(windows: Iterable<WindowStats>): ConcernedWindows | undefined {
  const [first, ...others] = new Set(windows);
  return first === undefined ? undefined : [first, ...others];
}
