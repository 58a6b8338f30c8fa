import { type Actor, createActor } from 'xstate';
import type { PodState, Protection } from '../../../machines/weeder/podDeletion.ts';
import type { ActorRuntime } from '../../actors/actorRuntime.ts';
import type { Clock } from '../../base/clock.ts';
import type { CrashLoopingPod } from '../pods/crashLooping.ts';
import type { Departure } from '../pods/podIndex.ts';
import { type DeletionEntry, type DeletionRequest, settleIn, type WithdrawalReason, waitOf } from './deletionEntry.ts';
import { type PodDeletionEffects, type PodDeletionLogic, providePodDeletion } from './podDeletionActor.ts';
import type { ReportWeeder } from './weederEvents.ts';
import type { Windows } from './windows.ts';

const inFlight = { attempting: 'deleting' } as const;
const signals = { left: 'pod.left', gone: 'pod.gone', over: 'windows.closed', held: 'windows.closed' } as const;

/** The pods that open windows request deleted: a `podDeletion` actor each, every one a root of its own. */
export interface Deletions {
  /** The pod crash-loops, or has a newer state in which it still does. */
  request(request: DeletionRequest, uid: string): void;
  /** The pod no longer crash-loops as far as this request's stream tells, or is no longer there. */
  left(request: DeletionRequest, uid: string, departure: Departure): void;
  /** This request is over, or held while its service is down. What is in flight ends by itself. */
  withdraw(request: DeletionRequest, because: 'over' | 'held'): void;
  actors(): Iterable<Actor<PodDeletionLogic>>;
  readonly size: number;
}

interface DeletionsOptions extends Omit<PodDeletionEffects, 'entryOf'> {
  readonly runtime: ActorRuntime;
  /** Told when the outcome of a deletion that its window no longer requests is known. */
  readonly finalise: Windows['finalise'];
  readonly report: ReportWeeder;
}

export function createDeletions(options: DeletionsOptions): Deletions {
  const { runtime, report, finalise, clock } = options;
  const entries = new Map<string, DeletionEntry>();
  const logic = providePodDeletion({ ...options, entryOf: (uid) => entries.get(uid) });

  function create(requests: ReadonlySet<DeletionRequest>, pod: CrashLoopingPod): void {
    const reported = stateOf(pod, [...requests], clock);
    const { uid, namespace, name } = pod;
    // The actor's first delay is worked out before its own entry is there: not by the one of an actor before it.
    entries.delete(uid);
    const actor = createActor(logic, { ...runtime, id: uid, input: { uid, namespace, name, ...reported } });
    const history = { how: 'delete', deletedAt: undefined, reportedWait: undefined } as const;
    entries.set(uid, { actor, requests: new Set(requests), withdrawn: new Map(), pod, reported, ...history });
    actor.subscribe({
      next: (snapshot) => {
        if (!snapshot.matches(inFlight)) finaliseAll(uid);
      },
      complete: () => removeIfUnused(uid),
      error: (error) => {
        forget(uid);
        report({ type: 'actor.failed', actor: `podDeletion ${namespace}/${name}`, error });
      },
    });
    actor.start();
  }

  function sendNewestState(entry: DeletionEntry, pod: CrashLoopingPod, isNewRequest: boolean): void {
    const state = stateOf(pod, [...entry.requests], clock);
    const hasChanged =
      state.resourceVersion !== entry.reported.resourceVersion || state.protection !== entry.reported.protection;
    entry.pod = pod;
    entry.reported = state;
    if (hasChanged || isNewRequest) entry.actor.send({ type: 'pod.crashLooping', ...state });
  }

  /** Without the window that deletes bare pods, the others may keep this one. */
  function sendProtection(entry: DeletionEntry): void {
    const protection = protectionFor(entry.pod, [...entry.requests]);
    if (protection === entry.reported.protection) return;
    entry.reported = { ...entry.reported, protection };
    entry.actor.send({ type: 'pod.crashLooping', ...entry.reported });
  }

  /** An actor that has ended stays as long as somebody requests its pod deleted: it remembers that this was dealt with. */
  function removeIfUnused(uid: string): void {
    if (entries.get(uid)?.requests.size === 0) forget(uid);
  }

  function forget(uid: string): void {
    finaliseAll(uid);
    entries.get(uid)?.actor.stop();
    entries.delete(uid);
  }

  /** No try is on the way any more: the accounts that waited for its outcome were reported. */
  function finaliseAll(uid: string): void {
    const entry = entries.get(uid);
    if (entry === undefined) return;
    const waiting = [...entry.withdrawn.keys(), ...entry.requests];
    entry.withdrawn.clear();
    for (const { stats } of waiting) finalise(stats, uid);
  }

  function release(request: DeletionRequest, uid: string, ending: WithdrawalReason): void {
    request.uids.delete(uid);
    const entry = entries.get(uid);
    if (entry === undefined || !entry.requests.delete(request)) return;
    if (entry.requests.size > 0) withdrawOne(entry, request, uid, ending);
    else end(entry, request, uid, ending);
  }

  /** Others still request it. */
  function withdrawOne(entry: DeletionEntry, request: DeletionRequest, uid: string, ending: WithdrawalReason): void {
    if (request.stats.pending.has(uid)) entry.withdrawn.set(request, ending);
    sendProtection(entry);
  }

  /** Nobody requests it any more. */
  function end(entry: DeletionEntry, request: DeletionRequest, uid: string, ending: WithdrawalReason): void {
    const snapshot = entry.actor.getSnapshot();
    if (snapshot.status !== 'active' || (snapshot.matches('kept') && ending !== 'left' && ending !== 'gone')) {
      forget(uid);
      return;
    }
    entry.withdrawn.set(request, ending);
    entry.actor.send({ type: signals[ending] });
  }

  return {
    request(request, uid) {
      const pod = request.index.get(uid);
      if (pod === undefined) return;
      request.uids.add(uid);
      const entry = entries.get(uid);
      if (entry === undefined) {
        create(new Set([request]), pod);
        return;
      }
      const isNew = !entry.requests.has(request);
      entry.requests.add(request);
      entry.withdrawn.delete(request);
      if (entry.actor.getSnapshot().matches(inFlight)) request.stats.pending.add(uid);
      if (isNew && entry.actor.getSnapshot().matches('abandoned')) {
        // What was rejected is asked for once more in each new window, so that its stats tells of it too.
        create(entry.requests, pod);
        return;
      }
      // First the state: a window that deletes bare pods must not be reported that this one is kept.
      sendNewestState(entry, pod, isNew);
      const isUnreported = entry.actor.getSnapshot().matches('kept') && !request.stats.skipped.has(uid);
      if (isNew || isUnreported) entry.actor.send({ type: 'windows.open' });
    },
    left(request, uid, { isGone, deletedAt }) {
      const entry = entries.get(uid);
      if (entry !== undefined && deletedAt !== undefined) {
        entry.deletedAt = deletedAt;
        request.stats.rounds.dated(uid, deletedAt);
      }
      release(request, uid, isGone ? 'gone' : 'left');
    },
    withdraw(request, because) {
      for (const uid of [...request.uids]) release(request, uid, because);
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
function stateOf(pod: CrashLoopingPod, requests: readonly DeletionRequest[], clock: Clock): PodState {
  const { resourceVersion } = pod;
  return {
    resourceVersion,
    settleIn: settleIn(pod, requests),
    protection: protectionFor(pod, requests),
    ...waitOf(pod, requests, clock),
  };
}

/** A bare pod is not protected when one of the windows deletes those. */
function protectionFor({ protection }: CrashLoopingPod, requests: readonly DeletionRequest[]): Protection {
  const isBarePodWanted = requests.some((request) => request.policy.barePods === 'delete');
  return protection === 'barePod' && isBarePodWanted ? 'none' : protection;
}
