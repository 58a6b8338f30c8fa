import { keyOf } from '@weeder/kube-runtime/objects';
import { type Actor, createActor } from 'xstate';
import type { EndOfRequest, PodDeletionEvent } from '../../../machines/weeder/podDeletion.ts';
import type { ActorRuntime } from '../../actors/actorRuntime.ts';
import { createRegistry } from '../../actors/registry.ts';
import type { CrashLoopingPod } from '../pods/crashLooping.ts';
import type { Departure } from '../pods/podIndex.ts';
import { type DeletionEntry, isActive, isRequested, stateOf } from './deletionEntry.ts';
import { type DeletionProgress, progressOf } from './deletionProgress.ts';
import type { DeletionRequest } from './deletionRequest.ts';
import { createOwnership, type OtherRequests } from './ownership.ts';
import type { PacedQueue } from './pacedQueue.ts';
import { type PodDeletionEffects, type PodDeletionLogic, providePodDeletion } from './podDeletionActor.ts';
import { createReplacementBackOff } from './replacementBackOff.ts';
import type { ReportWeeder } from './weederEvents.ts';

/**
 * The pods whose deletion open windows request. Each pod has a `podDeletion` actor, which is a root and belongs to one
 * request: the outcome counts once, for the window of that request. An actor that goes over to another request keeps its
 * place in the queue and its pauses.
 */
export interface Deletions {
  /** The pod crash-loops, or has a newer state in which it still crash-loops. */
  request(request: DeletionRequest, pod: CrashLoopingPod): void;
  /** According to this request's stream, the pod no longer crash-loops or no longer exists. */
  left(request: DeletionRequest, uid: string, departure: Departure): void;
  /** The request no longer includes this pod. An attempt in flight continues. */
  withdraw(request: DeletionRequest, uid: string, because: EndOfRequest): void;
  withdrawAll(request: DeletionRequest, because: EndOfRequest): void;
  /** Calls `done` once the outcomes of all attempts are known that the request awaits. */
  whenIdle(request: DeletionRequest, done: () => void): void;
  /** A service on which these pods depend is down, or is ready again. */
  reconsider(uids: Iterable<string>): void;
  /**
   * Calls `apply`, which puts a config into force. The pods that it affects begin to wait for their pace when every
   * window has the config: a window to which one of them goes over may be about to close, or to have another pace.
   */
  configure(apply: () => void): void;
  /** The config of the request has changed. */
  reconfigured(request: DeletionRequest): void;
  /** Undefined: no window requests the deletion of the pod. */
  progressOf(uid: string): DeletionProgress | undefined;
  actors(): Iterable<Actor<PodDeletionLogic>>;
  readonly size: number;
}

interface DeletionsOptions extends Omit<PodDeletionEffects, 'entryOf' | 'requestSlot' | 'backOff'> {
  readonly queue: PacedQueue;
  readonly runtime: ActorRuntime;
  readonly report: ReportWeeder;
  /** How many lines of a crashed container's log the config wants; 0: none. */
  readonly logLines: () => number;
  /** Another service on which the pod depends, and which is down: `namespace/name`. */
  readonly heldBy: (pod: CrashLoopingPod, window: DeletionRequest['window']) => string | undefined;
}

export function createDeletions(options: DeletionsOptions): Deletions {
  const { runtime, report, clock, queue } = options;
  const backOff = createReplacementBackOff(clock);
  const sources = { ...options, backOff };
  /** While a config is put into force: the pods whose pace may have changed. */
  let repaced: Set<DeletionEntry> | undefined;
  /** By uid. The entry of a finished actor remains while a window requests the deletion: the pod was handled. */
  const entries = createRegistry<DeletionEntry>({
    changed(_uid, entry) {
      const snapshot = entry.actor.getSnapshot();
      // The outcome has been reported, and the next deletion may begin.
      if (!snapshot.matches('attempting')) entry.slot?.leave();
      if (!snapshot.matches({ attempting: 'deleting' })) endAttempt(entry);
    },
    done(uid, entry) {
      if (!isRequested(entry)) forget(uid);
    },
    failed(_uid, error, entry) {
      entry.slot?.leave();
      endAttempt(entry);
      const { namespace, name } = entry.pod;
      report({ type: 'actor.failed', actor: `podDeletion ${namespace}/${name}`, error });
    },
  });
  const { join, release, endAttempt, whenIdle } = createOwnership({
    entryOf: (uid) => entries.get(uid),
    create,
    forget,
    take,
    repace,
  });
  const logic = providePodDeletion({
    ...options,
    backOff,
    entryOf: (uid) => entries.get(uid),
    requestSlot,
  });

  function create(owner: DeletionRequest, pod: CrashLoopingPod, others: OtherRequests): void {
    const { uid, namespace, name } = pod;
    // The actor makes its first decision before its entry exists, and must not read the entry of the previous actor.
    entries.remove(uid);
    const observed = { owner, pod, unreportedSince: owner.index.unreportedSince(uid) };
    const input = { uid, namespace, name, now: clock.monotonic, ...stateOf(observed, sources) };
    const actor = createActor(logic, { ...runtime, id: uid, input });
    const history = {
      slot: undefined,
      how: 'delete',
      deletedAt: undefined,
      reportedWait: undefined,
      refusal: undefined,
    } as const;
    entries.add(uid, { actor, ...observed, ...others, sentFor: undefined, ...history });
  }

  function sendNewestState(entry: DeletionEntry): void {
    if (isActive(entry)) entry.actor.send({ type: 'pod.crashLooping', ...stateOf(entry, sources) });
  }

  function isQueued({ actor }: DeletionEntry): boolean {
    return actor.getSnapshot().matches({ attempting: 'queued' });
  }

  function requestSlot(entry: DeletionEntry): void {
    const { owner, pod, actor } = entry;
    // Of the attempt before, if the machine has come from there in the same transition.
    entry.slot?.leave();
    entry.slot = queue.enter({
      key: pod.uid,
      service: keyOf(owner.window.namespace, owner.window.service),
      pace: owner.policy.pace,
      isDue: () => isStillDue(entry),
      onGranted: () => actor.send(turnOf(entry)),
    });
  }

  /** The newest state, for the window that requests the deletion now: the timer of the one before may be late. */
  function turnOf(entry: DeletionEntry): PodDeletionEvent {
    const { owner } = entry;
    const others = repaced;
    // Out of turn, the deletion is decided again, and waits for the new pace then.
    repaced = new Set();
    if (entry.waiting.length > 0 && clock.monotonic() > owner.closesAt) release(owner, entry.pod.uid, 'over');
    repaced = others;
    const isOutOfTurn = entry.owner !== owner && entry.owner.policy.pace !== undefined;
    return { type: 'slot.granted', isWanted: isRequested(entry), isOutOfTurn, ...stateOf(entry, sources) };
  }

  /** After a long wait, such as if the kubelet restarts the container soon. */
  function isStillDue(entry: DeletionEntry): boolean {
    // A window that is over decides nothing more, even if its timer is late.
    if (clock.monotonic() <= entry.owner.closesAt) sendNewestState(entry);
    return isQueued(entry);
  }

  /** The pod has another owner, or its owner may have another pace. Without any it keeps its place. */
  function repace(entry: DeletionEntry): void {
    if (repaced === undefined) repaceAll([entry]);
    else repaced.add(entry);
  }

  function repaceAll(all: Iterable<DeletionEntry>): void {
    const isPaced = ({ slot, owner }: DeletionEntry) => slot?.isPaced === true || owner.policy.pace !== undefined;
    const queued = [...all].filter((entry) => isPaced(entry) && isQueued(entry));
    // All leave before one enters, so that they keep their order.
    for (const { slot } of queued) slot?.leave();
    for (const entry of queued) if (isQueued(entry)) requestSlot(entry);
  }

  function take(entry: DeletionEntry, pod: CrashLoopingPod): void {
    entry.pod = pod;
    entry.unreportedSince = entry.owner.index.unreportedSince(pod.uid);
    sendNewestState(entry);
  }

  function forget(uid: string): void {
    const entry = entries.get(uid);
    if (entry !== undefined) endAttempt(entry);
    entries.remove(uid);
  }

  return {
    request(request, pod) {
      const entry = entries.get(pod.uid);
      if (entry === undefined) {
        request.uids.add(pod.uid);
        create(request, pod, { waiting: [], rejected: new Set() });
        return;
      }
      const { owner, waiting, rejected } = entry;
      const isOther = waiting.includes(request) || rejected.has(request);
      const isKnown = request === owner ? isRequested(entry) : isOther;
      if (!isKnown) join(request, entry, pod);
      else if (request === owner && pod.resourceVersion !== entry.pod.resourceVersion) take(entry, pod);
    },
    left(request, uid, { isRemoved, deletedAt }) {
      const entry = entries.get(uid);
      if (entry !== undefined && deletedAt !== undefined) {
        entry.deletedAt = deletedAt;
        backOff.dated(entry.pod, deletedAt);
      }
      release(request, uid, isRemoved ? 'removed' : 'recovered');
    },
    withdraw: release,
    withdrawAll(request, because) {
      for (const uid of [...request.uids]) release(request, uid, because);
    },
    whenIdle,
    reconsider(uids) {
      for (const uid of uids) {
        const entry = entries.get(uid);
        // A window that is over decides nothing more, even if its timer is late.
        if (entry === undefined || !isRequested(entry) || clock.monotonic() > entry.owner.closesAt) continue;
        const { heldBy } = entry.actor.getSnapshot().context;
        if (heldBy !== options.heldBy(entry.pod, entry.owner.window)) sendNewestState(entry);
      }
    },
    configure(apply) {
      const affected = new Set<DeletionEntry>();
      repaced = affected;
      apply();
      repaced = undefined;
      repaceAll(affected);
    },
    reconfigured(request) {
      for (const uid of request.uids) {
        const entry = entries.get(uid);
        if (entry?.owner !== request) continue;
        sendNewestState(entry);
        repace(entry);
      }
    },
    progressOf(uid) {
      const entry = entries.get(uid);
      return entry === undefined || !(isActive(entry) || isRequested(entry)) ? undefined : progressOf(entry, clock);
    },
    actors: () => entries.actors(),
    get size() {
      return entries.size;
    },
  };
}
