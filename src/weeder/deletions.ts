import { type Actor, createActor } from 'xstate';
import type { PodState, Protection } from '../../machines/weeder/podDeletion.ts';
import type { ActorRuntime } from '../actorRuntime.ts';
import type { CrashLoopingPod } from './crashLooping.ts';
import type { DeletionPolicy } from './deletePod.ts';
import type { Report } from './facts.ts';
import { type PodDeletionEffects, type PodDeletionLogic, providePodDeletion } from './podDeletionActor.ts';
import type { PodIndex } from './podIndex.ts';
import type { WindowAccount, Windows } from './windows.ts';

/** One podSelector of one open window: whoever wants pods deleted. */
export interface Want {
  readonly account: WindowAccount;
  readonly policy: DeletionPolicy;
  readonly index: PodIndex;
  /** The pods it wants deleted, by uid. */
  readonly uids: Set<string>;
}

/** Why nobody wants a pod deleted any more. */
type Ending = 'left' | 'over' | 'held';

/** The pods that open windows want deleted: a `podDeletion` actor each, every one a root of its own. */
export interface Deletions {
  /** The pod crash-loops, or has a newer state in which it still does. */
  request(want: Want, uid: string): void;
  /** The pod no longer crash-loops as far as this want's stream tells. */
  left(want: Want, uid: string): void;
  /** This want is over, or held while its service is down. What is in flight ends by itself. */
  withdraw(want: Want, because: 'over' | 'held'): void;
  actors(): Iterable<Actor<PodDeletionLogic>>;
  readonly size: number;
}

/** What is known of a pod that a window wants, or wanted, deleted. */
export interface DeletionEntry {
  readonly actor: Actor<PodDeletionLogic>;
  readonly wants: Set<Want>;
  pod: CrashLoopingPod;
  /** What the actor was told last. */
  told: PodState;
  /** On whose account the outcome goes when nobody wants it any more. */
  lastWant: Want;
  ending: Ending;
}

export interface DeletionsOptions extends Omit<PodDeletionEffects, 'entryOf'> {
  readonly runtime: ActorRuntime;
  /** Told when the outcome of a deletion that its window no longer wants is known. */
  readonly settle: Windows['settle'];
  readonly report: Report;
}

export function createDeletions(options: DeletionsOptions): Deletions {
  const { runtime, report, settle } = options;
  const entries = new Map<string, DeletionEntry>();
  const logic = providePodDeletion({ ...options, entryOf: (uid) => entries.get(uid) });

  function create(wants: ReadonlySet<Want>, want: Want, pod: CrashLoopingPod): void {
    const told = stateOf(pod, [...wants]);
    const { uid, namespace, name } = pod;
    const actor = createActor(logic, { ...runtime, id: uid, input: { uid, namespace, name, ...told } });
    entries.set(uid, { actor, wants: new Set(wants), pod, told, lastWant: want, ending: 'over' });
    actor.subscribe({
      complete: () => dropIfUnwanted(uid),
      error: (error) => {
        forget(uid);
        report({ type: 'actor.failed', actor: `podDeletion ${namespace}/${name}`, error });
      },
    });
    actor.start();
  }

  function tellNewestState(entry: DeletionEntry, pod: CrashLoopingPod): void {
    const state = stateOf(pod, [...entry.wants]);
    const isNews = state.resourceVersion !== entry.told.resourceVersion || state.protection !== entry.told.protection;
    entry.pod = pod;
    entry.told = state;
    if (isNews) entry.actor.send({ type: 'pod.crashLooping', ...state });
  }

  /** Without the window that deletes bare pods, the others may keep this one. */
  function tellProtection(entry: DeletionEntry): void {
    const protection = protectionFor(entry.pod, [...entry.wants]);
    if (protection === entry.told.protection) return;
    entry.told = { ...entry.told, protection };
    entry.actor.send({ type: 'pod.crashLooping', ...entry.told });
  }

  /** An actor that has ended stays as long as somebody wants its pod deleted: it remembers that this was dealt with. */
  function dropIfUnwanted(uid: string): void {
    const entry = entries.get(uid);
    if (entry === undefined || entry.wants.size > 0) return;
    const snapshot = entry.actor.getSnapshot();
    const isOver = snapshot.matches('kept') && entry.ending !== 'left';
    if (snapshot.status === 'active' && !isOver) return;
    forget(uid);
    entry.actor.stop();
  }

  function forget(uid: string): void {
    const entry = entries.get(uid);
    entries.delete(uid);
    if (entry !== undefined) settle(entry.lastWant.account, uid);
  }

  function release(want: Want, uid: string, ending: Ending): void {
    want.uids.delete(uid);
    const entry = entries.get(uid);
    if (entry === undefined || !entry.wants.delete(want)) return;
    if (entry.wants.size > 0) {
      tellProtection(entry);
      return;
    }
    entry.lastWant = want;
    entry.ending = ending;
    dropIfUnwanted(uid);
    if (!entries.has(uid)) return;
    want.account.unsettled.add(uid);
    entry.actor.send({ type: ending === 'left' ? 'pod.left' : 'windows.closed' });
  }

  return {
    request(want, uid) {
      const pod = want.index.get(uid);
      if (pod === undefined) return;
      want.uids.add(uid);
      const entry = entries.get(uid);
      if (entry === undefined) {
        create(new Set([want]), want, pod);
        return;
      }
      const isNew = !entry.wants.has(want);
      entry.wants.add(want);
      settle(entry.lastWant.account, uid);
      if (isNew && entry.actor.getSnapshot().matches('abandoned')) {
        // What was rejected is asked for once more in each new window, so that its account tells of it too.
        create(entry.wants, want, pod);
        return;
      }
      // First the state: a window that deletes bare pods must not be told that this one is kept.
      tellNewestState(entry, pod);
      if (isNew) entry.actor.send({ type: 'windows.open' });
    },
    left: (want, uid) => release(want, uid, 'left'),
    withdraw(want, because) {
      for (const uid of [...want.uids]) release(want, uid, because);
    },
    *actors() {
      for (const { actor } of entries.values()) yield actor;
    },
    get size() {
      return entries.size;
    },
  };
}

/** The pod's state as the decision needs it; streams that have not come as far do not count. */
function stateOf(pod: CrashLoopingPod, wants: readonly Want[]): PodState {
  const indexes = wants.map((want) => want.index);
  const current = indexes.filter((index) => index.get(pod.uid)?.resourceVersion === pod.resourceVersion);
  const settleIn = Math.min(...current.map((index) => index.settleIn(pod.uid)));
  return { resourceVersion: pod.resourceVersion, settleIn, protection: protectionFor(pod, wants) };
}

/** A bare pod is not protected when one of the windows deletes those. */
function protectionFor({ protection }: CrashLoopingPod, wants: readonly Want[]): Protection {
  const isBarePodWanted = wants.some((want) => want.policy.barePods === 'delete');
  return protection === 'barePod' && isBarePodWanted ? 'none' : protection;
}
