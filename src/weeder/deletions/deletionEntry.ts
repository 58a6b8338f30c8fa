import type { Actor } from 'xstate';
import type { PodState, podDeletion, WaitReason } from '../../../machines/weeder/podDeletion.ts';
import type { Clock } from '../../base/clock.ts';
import type { CrashLoopingPod } from '../pods/crashLooping.ts';
import type { PodIndex } from '../pods/podIndex.ts';
import type { DeletionPolicy } from './deletePod.ts';
import { waitForRestart } from './deletionCost.ts';
import { type WindowRef, windowRefOf } from './facts.ts';
import type { WindowAccount } from './windows.ts';

/** One podSelector of one open window: whoever wants pods deleted. */
export interface Want {
  readonly account: WindowAccount;
  readonly policy: DeletionPolicy;
  readonly index: PodIndex;
  /** The pods it wants deleted, by uid. */
  readonly uids: Set<string>;
}

/** Why a window wants a pod deleted no more. */
export type Ending = 'left' | 'gone' | 'over' | 'held';

/** What is known of a pod that a window wants, or wanted, deleted. */
export interface DeletionEntry {
  readonly actor: Actor<typeof podDeletion>;
  readonly wants: Set<Want>;
  /** Who wanted it while the try that is on the way was, and why they ceased to: its outcome is theirs too. */
  readonly parted: Map<Want, Ending>;
  pod: CrashLoopingPod;
  /** What the actor was told last. */
  told: PodState;
  /** How the newest try was sent. */
  how: DeletionPolicy['deletion'];
  /** When the API server accepted a deletion of the pod, by its clock; epoch milliseconds. */
  deletedAt: number | undefined;
  /** The wait that was reported last. */
  reportedWait: string | undefined;
}

/** Windows, each once, the one that wanted the pod first in front. */
type Accounts = readonly [WindowAccount, ...WindowAccount[]];

/** The policy by which a try may be sent now; undefined: no window asks for one any more, even if its timer is late. */
export function policyNow({ wants, pod }: DeletionEntry, now: number): DeletionPolicy | undefined {
  return [...wants].find((want) => now <= want.account.closesAt && permits(want, pod))?.policy;
}

/** How long the deletion waits because it would come too soon, or bring the pod back too late. */
export function waitOf(
  pod: CrashLoopingPod,
  wants: Iterable<Want>,
  clock: Clock,
): Pick<PodState, 'waitIn' | 'waitReason'> {
  const waits = [...wants]
    .filter((want) => permits(want, pod))
    .map(({ account, policy }) => longest(account.rounds.pauseLeft(pod), waitForRestart(pod, policy, clock.now())));
  return waits.sort((a, b) => a.waitIn - b.waitIn)[0] ?? { waitIn: 0, waitReason: undefined };
}

function longest(pause: number, restart: number): { waitIn: number; waitReason: WaitReason | undefined } {
  if (pause === 0 && restart === 0) return { waitIn: 0, waitReason: undefined };
  return restart >= pause
    ? { waitIn: restart, waitReason: 'restartIsSooner' }
    : { waitIn: pause, waitReason: 'coolingDown' };
}

/** Milliseconds until its silent back-off counts as one; streams that have not come as far as it do not count. */
export function settleIn({ uid, resourceVersion }: CrashLoopingPod, wants: Iterable<Want>): number {
  const indexes = [...wants].map((want) => want.index);
  const current = indexes.filter((index) => index.get(uid)?.resourceVersion === resourceVersion);
  return Math.min(...current.map((index) => index.settleIn(uid)));
}

/** Those in whose account a deletion is: every window that asked for it while it was on the way. */
export function askedBy({ parted, wants, pod }: DeletionEntry): Accounts | undefined {
  const asking = [...parted.keys(), ...wants].filter(
    (want) => permits(want, pod) && want.account.unsettled.has(pod.uid),
  );
  return someOf(asking.map((want) => want.account));
}

/** Those that an outcome concerns, by why they ceased to want the pod deleted; undefined: they still do. */
export function concernedBy(
  { parted, wants }: DeletionEntry,
  endings: readonly (Ending | undefined)[] = ['left', 'gone', 'over', 'held', undefined],
): Accounts | undefined {
  const newest = new Map<WindowAccount, Ending | undefined>();
  for (const [want, ending] of parted) newest.set(want.account, ending);
  for (const want of wants) newest.set(want.account, undefined);
  return someOf([...newest].filter(([, ending]) => endings.includes(ending)).map(([account]) => account));
}

/** How a fact names the windows that it is about. */
export function refsOf([first, ...others]: Accounts): WindowRef & { readonly also: readonly WindowRef[] } {
  return { ...windowRefOf(first), also: others.map(windowRefOf) };
}

/** A window that keeps bare pods asks for none. */
function permits({ policy }: Want, { protection }: CrashLoopingPod): boolean {
  return protection === 'none' || policy.barePods === 'delete';
}

function someOf(accounts: Iterable<WindowAccount>): Accounts | undefined {
  const [first, ...others] = new Set(accounts);
  return first === undefined ? undefined : [first, ...others];
}
