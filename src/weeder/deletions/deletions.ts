import { type Actor, createActor } from 'xstate';
import type { PodState, Protection } from '../../../machines/weeder/podDeletion.ts';
import type { ActorRuntime } from '../../actors/actorRuntime.ts';
import type { Clock } from '../../base/clock.ts';
import type { CrashLoopingPod } from '../pods/crashLooping.ts';
import type { Departure } from '../pods/podIndex.ts';
import { type DeletionEntry, type Ending, settleIn, type Want, waitOf } from './deletionEntry.ts';
import type { Report } from './facts.ts';
import { type PodDeletionEffects, type PodDeletionLogic, providePodDeletion } from './podDeletionActor.ts';
import type { Windows } from './windows.ts';

const inFlight = { attempting: 'deleting' } as const;
const signals = { left: 'pod.left', gone: 'pod.gone', over: 'windows.closed', held: 'windows.closed' } as const;

/** The pods that open windows want deleted: a `podDeletion` actor each, every one a root of its own. */
export interface Deletions {
  /** The pod crash-loops, or has a newer state in which it still does. */
  request(want: Want, uid: string): void;
  /** The pod no longer crash-loops as far as this want's stream tells, or is no longer there. */
  left(want: Want, uid: string, departure: Departure): void;
  /** This want is over, or held while its service is down. What is in flight ends by itself. */
  withdraw(want: Want, because: 'over' | 'held'): void;
  actors(): Iterable<Actor<PodDeletionLogic>>;
  readonly size: number;
}

interface DeletionsOptions extends Omit<PodDeletionEffects, 'entryOf'> {
  readonly runtime: ActorRuntime;
  /** Told when the outcome of a deletion that its window no longer wants is known. */
  readonly settle: Windows['settle'];
  readonly report: Report;
}

export function createDeletions(options: DeletionsOptions): Deletions {
  const { runtime, report, settle, clock } = options;
  const entries = new Map<string, DeletionEntry>();
  const logic = providePodDeletion({ ...options, entryOf: (uid) => entries.get(uid) });

  function create(wants: ReadonlySet<Want>, pod: CrashLoopingPod): void {
    const told = stateOf(pod, [...wants], clock);
    const { uid, namespace, name } = pod;
    // The actor's first delay is worked out before its own entry is there: not by the one of an actor before it.
    entries.delete(uid);
    const actor = createActor(logic, { ...runtime, id: uid, input: { uid, namespace, name, ...told } });
    const history = { how: 'delete', deletedAt: undefined, reportedWait: undefined } as const;
    entries.set(uid, { actor, wants: new Set(wants), parted: new Map(), pod, told, ...history });
    actor.subscribe({
      next: (snapshot) => {
        if (!snapshot.matches(inFlight)) settleAll(uid);
      },
      complete: () => dropIfUnwanted(uid),
      error: (error) => {
        forget(uid);
        report({ type: 'actor.failed', actor: `podDeletion ${namespace}/${name}`, error });
      },
    });
    actor.start();
  }

  function tellNewestState(entry: DeletionEntry, pod: CrashLoopingPod, isWantNew: boolean): void {
    const state = stateOf(pod, [...entry.wants], clock);
    const isNews = state.resourceVersion !== entry.told.resourceVersion || state.protection !== entry.told.protection;
    entry.pod = pod;
    entry.told = state;
    if (isNews || isWantNew) entry.actor.send({ type: 'pod.crashLooping', ...state });
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
    if (entries.get(uid)?.wants.size === 0) forget(uid);
  }

  function forget(uid: string): void {
    settleAll(uid);
    entries.get(uid)?.actor.stop();
    entries.delete(uid);
  }

  /** No try is on the way any more: the accounts that waited for its outcome were told. */
  function settleAll(uid: string): void {
    const entry = entries.get(uid);
    if (entry === undefined) return;
    const waiting = [...entry.parted.keys(), ...entry.wants];
    entry.parted.clear();
    for (const { account } of waiting) settle(account, uid);
  }

  function release(want: Want, uid: string, ending: Ending): void {
    want.uids.delete(uid);
    const entry = entries.get(uid);
    if (entry === undefined || !entry.wants.delete(want)) return;
    if (entry.wants.size > 0) part(entry, want, uid, ending);
    else end(entry, want, uid, ending);
  }

  /** Others still want it. */
  function part(entry: DeletionEntry, want: Want, uid: string, ending: Ending): void {
    if (want.account.unsettled.has(uid)) entry.parted.set(want, ending);
    tellProtection(entry);
  }

  /** Nobody wants it any more. */
  function end(entry: DeletionEntry, want: Want, uid: string, ending: Ending): void {
    const snapshot = entry.actor.getSnapshot();
    if (snapshot.status !== 'active' || (snapshot.matches('kept') && ending !== 'left' && ending !== 'gone')) {
      forget(uid);
      return;
    }
    entry.parted.set(want, ending);
    entry.actor.send({ type: signals[ending] });
  }

  return {
    request(want, uid) {
      const pod = want.index.get(uid);
      if (pod === undefined) return;
      want.uids.add(uid);
      const entry = entries.get(uid);
      if (entry === undefined) {
        create(new Set([want]), pod);
        return;
      }
      const isNew = !entry.wants.has(want);
      entry.wants.add(want);
      entry.parted.delete(want);
      if (entry.actor.getSnapshot().matches(inFlight)) want.account.unsettled.add(uid);
      if (isNew && entry.actor.getSnapshot().matches('abandoned')) {
        // What was rejected is asked for once more in each new window, so that its account tells of it too.
        create(entry.wants, pod);
        return;
      }
      // First the state: a window that deletes bare pods must not be told that this one is kept.
      tellNewestState(entry, pod, isNew);
      const isUntold = entry.actor.getSnapshot().matches('kept') && !want.account.kept.has(uid);
      if (isNew || isUntold) entry.actor.send({ type: 'windows.open' });
    },
    left(want, uid, { isGone, deletedAt }) {
      const entry = entries.get(uid);
      if (entry !== undefined && deletedAt !== undefined) {
        entry.deletedAt = deletedAt;
        want.account.rounds.dated(uid, deletedAt);
      }
      release(want, uid, isGone ? 'gone' : 'left');
    },
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

/** The pod's state as the decision needs it. */
function stateOf(pod: CrashLoopingPod, wants: readonly Want[], clock: Clock): PodState {
  const { resourceVersion } = pod;
  return {
    resourceVersion,
    settleIn: settleIn(pod, wants),
    protection: protectionFor(pod, wants),
    ...waitOf(pod, wants, clock),
  };
}

/** A bare pod is not protected when one of the windows deletes those. */
function protectionFor({ protection }: CrashLoopingPod, wants: readonly Want[]): Protection {
  const isBarePodWanted = wants.some((want) => want.policy.barePods === 'delete');
  return protection === 'barePod' && isBarePodWanted ? 'none' : protection;
}
