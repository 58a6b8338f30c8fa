import { type Actor, createActor } from 'xstate';
import type { ActorRuntime } from '../../actors/actorRuntime.ts';
import { createRegistry } from '../../actors/registry.ts';
import type { CrashLoopingPod } from '../pods/crashLooping.ts';
import type { Departure } from '../pods/podIndex.ts';
import { type DeletionEntry, linesToRead, protectionFor, stateOf, type WithdrawalReason } from './deletionEntry.ts';
import { type PodDeletionEffects, type PodDeletionLogic, providePodDeletion } from './podDeletionActor.ts';
import type { ReportWeeder } from './weederEvents.ts';
import type { DeletionRequest } from './windowEntry.ts';

const inFlight = { attempting: 'deleting' } as const;
const signals = {
  recovered: 'pod.recovered',
  removed: 'pod.removed',
  over: 'windows.closed',
  reconfigured: 'windows.closed',
  held: 'windows.closed',
} as const;

/** The pods whose deletion open windows request. Each pod has a `podDeletion` actor, which is a root. */
export interface Deletions {
  /** The pod crash-loops, or has a newer state in which it still crash-loops. */
  request(request: DeletionRequest, uid: string): void;
  /** According to this request's stream, the pod no longer crash-loops or no longer exists. */
  left(request: DeletionRequest, uid: string, departure: Departure): void;
  /** This request has ended, or is held while its service is down. Attempts in flight continue. */
  withdraw(request: DeletionRequest, because: 'over' | 'reconfigured' | 'held'): void;
  /** Deletions that are withdrawn during this call continue if another request for them begins during it. */
  handOver(work: () => void): void;
  actors(): Iterable<Actor<PodDeletionLogic>>;
  readonly size: number;
}

interface DeletionsOptions extends Omit<PodDeletionEffects, 'entryOf'> {
  readonly runtime: ActorRuntime;
  readonly report: ReportWeeder;
}

export function createDeletions(options: DeletionsOptions): Deletions {
  const { runtime, report, clock, logLines } = options;
  /** By uid. The entry of a finished actor remains while a window requests the deletion: the pod was handled. */
  const entries = createRegistry<DeletionEntry>({
    changed(uid, { actor, slot }) {
      const snapshot = actor.getSnapshot();
      // The outcome has been reported, and the next deletion may begin.
      if (!snapshot.matches('attempting')) slot?.();
      if (!snapshot.matches(inFlight)) finalise(uid);
    },
    done(uid, { requests }) {
      if (requests.size === 0) forget(uid);
    },
    failed(uid, error, entry) {
      entry.slot?.();
      finalise(uid, entry);
      const { namespace, name } = entry.pod;
      report({ type: 'actor.failed', actor: `podDeletion ${namespace}/${name}`, error });
    },
  });
  /** The ends of requests during a hand-over. */
  let postponed: (() => void)[] | undefined;
  const logic = providePodDeletion({ ...options, entryOf: (uid) => entries.get(uid) });

  function create(requests: ReadonlySet<DeletionRequest>, pod: CrashLoopingPod): void {
    const reported = stateOf(pod, [...requests], clock);
    const { uid, namespace, name } = pod;
    // The actor makes its first decision before its entry exists, and must not read the entry of the previous actor.
    entries.remove(uid);
    const lines = linesToRead(logLines(), requests, clock.monotonic());
    const input = { uid, namespace, name, ...reported, logLines: lines };
    const actor = createActor(logic, { ...runtime, id: uid, input });
    const history = { slot: undefined, how: 'delete', deletedAt: undefined, reportedWait: undefined } as const;
    entries.add(uid, { actor, requests: new Set(requests), withdrawn: new Map(), pod, reported, ...history });
  }

  function sendNewestState(entry: DeletionEntry, pod: CrashLoopingPod, isNewRequest: boolean): void {
    const state = stateOf(pod, [...entry.requests], clock);
    const hasChanged =
      state.resourceVersion !== entry.reported.resourceVersion || state.protection !== entry.reported.protection;
    entry.pod = pod;
    entry.reported = state;
    if (hasChanged || isNewRequest) entry.actor.send({ type: 'pod.crashLooping', ...state });
  }

  /**
   * When a window that deletes bare pods withdraws, the pod is protected again if the remaining windows keep bare pods.
   */
  function sendProtection(entry: DeletionEntry): void {
    const protection = protectionFor(entry.pod, [...entry.requests]);
    if (protection === entry.reported.protection) return;
    entry.reported = { ...entry.reported, protection };
    entry.actor.send({ type: 'pod.crashLooping', ...entry.reported });
  }

  function forget(uid: string): void {
    finalise(uid);
    entries.remove(uid);
  }

  /** No attempt is in flight any more, so the windows that waited for its outcome have received it. */
  function finalise(uid: string, entry = entries.get(uid)): void {
    if (entry === undefined) return;
    const waiting = [...entry.withdrawn.keys(), ...entry.requests];
    entry.withdrawn.clear();
    for (const { window } of waiting) {
      const isLast = window.pending.delete(uid) && window.pending.size === 0;
      if (isLast && window.actor.getSnapshot().matches('closing')) window.actor.send({ type: 'outcomes.known' });
    }
  }

  function release(request: DeletionRequest, uid: string, ending: WithdrawalReason): void {
    request.uids.delete(uid);
    if (entries.get(uid)?.requests.delete(request) !== true) return;
    if (postponed === undefined) settle(request, uid, ending);
    else postponed.push(() => settle(request, uid, ending));
  }

  function settle(request: DeletionRequest, uid: string, ending: WithdrawalReason): void {
    const entry = entries.get(uid);
    if (entry === undefined) return;
    if (entry.requests.size > 0) withdrawOne(entry, request, uid, ending);
    else end(entry, request, uid, ending);
  }

  /** Other requests for this pod remain. */
  function withdrawOne(entry: DeletionEntry, request: DeletionRequest, uid: string, ending: WithdrawalReason): void {
    if (request.window.pending.has(uid)) entry.withdrawn.set(request, ending);
    sendProtection(entry);
  }

  /** This was the last request for this pod. */
  function end(entry: DeletionEntry, request: DeletionRequest, uid: string, ending: WithdrawalReason): void {
    const snapshot = entry.actor.getSnapshot();
    if (
      snapshot.status !== 'active' ||
      (snapshot.matches('protected') && ending !== 'recovered' && ending !== 'removed')
    ) {
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
      if (entry.actor.getSnapshot().matches(inFlight)) request.window.pending.add(uid);
      if (isNew && entry.actor.getSnapshot().matches('abandoned')) {
        // Each new window tries a rejected deletion once more, so that its stats include the rejection, too.
        create(entry.requests, pod);
        return;
      }
      // The state is sent before `windows.open`: otherwise a window that deletes bare pods would receive a report
      // that this pod is skipped.
      sendNewestState(entry, pod, isNew);
      const isUnreported = entry.actor.getSnapshot().matches('protected') && !request.window.skipped.has(uid);
      if (isNew || isUnreported) entry.actor.send({ type: 'windows.open' });
    },
    left(request, uid, { isRemoved, deletedAt }) {
      const entry = entries.get(uid);
      if (entry !== undefined && deletedAt !== undefined) {
        entry.deletedAt = deletedAt;
        request.window.rounds.dated(uid, deletedAt);
      }
      release(request, uid, isRemoved ? 'removed' : 'recovered');
    },
    withdraw(request, because) {
      for (const uid of [...request.uids]) release(request, uid, because);
    },
    handOver(work) {
      const ends: (() => void)[] = [];
      postponed = ends;
      try {
        work();
      } finally {
        postponed = undefined;
        for (const end of ends) end();
      }
    },
    actors: () => entries.actors(),
    get size() {
      return entries.size;
    },
  };
}
