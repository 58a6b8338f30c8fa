import { type Actor, createActor } from 'xstate';
import type { EndOfRequest } from '../../../machines/weeder/podDeletion.ts';
import type { ActorRuntime } from '../../actors/actorRuntime.ts';
import { createRegistry } from '../../actors/registry.ts';
import type { CrashLoopingPod } from '../pods/crashLooping.ts';
import type { Departure } from '../pods/podIndex.ts';
import { type DeletionEntry, isRequested, protectionBy, stateOf } from './deletionEntry.ts';
import type { DeletionRequest } from './deletionRequest.ts';
import { createDeletionRounds } from './deletionRounds.ts';
import { type PodDeletionEffects, type PodDeletionLogic, providePodDeletion } from './podDeletionActor.ts';
import type { ReportWeeder } from './weederEvents.ts';

/**
 * The pods whose deletion open windows request. Each pod has a `podDeletion` actor, which is a root, and belongs to the
 * request that observed it first: the outcome counts once, for the window of that request. If it withdraws, the actor
 * goes over to the request that has waited longest, and keeps its place in the queue and its pauses.
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
  /** A service on which these pods depend is not ready any more, or is ready again. */
  reconsider(uids: Iterable<string>): void;
  /** The config of the request has changed. */
  reconfigured(request: DeletionRequest): void;
  actors(): Iterable<Actor<PodDeletionLogic>>;
  readonly size: number;
}

interface DeletionsOptions extends Omit<PodDeletionEffects, 'entryOf' | 'rounds' | 'replaceExpired'> {
  readonly runtime: ActorRuntime;
  readonly report: ReportWeeder;
  /** How many lines of a crashed container's log the config wants; 0: none. */
  readonly logLines: () => number;
  /** Another service on which the pod depends, and which is not ready: `namespace/name`. */
  readonly heldBy: (pod: CrashLoopingPod, window: DeletionRequest['window']) => string | undefined;
}

export function createDeletions(options: DeletionsOptions): Deletions {
  const { runtime, report, clock } = options;
  const rounds = createDeletionRounds(clock);
  const sources = { ...options, rounds };
  /** By uid. The entry of a finished actor remains while a window requests the deletion: the pod was handled. */
  const entries = createRegistry<DeletionEntry>({
    changed(_uid, entry) {
      const snapshot = entry.actor.getSnapshot();
      // The outcome has been reported, and the next deletion may begin.
      if (!snapshot.matches('attempting')) entry.slot?.();
      if (!snapshot.matches({ attempting: 'deleting' })) endAttempt(entry);
    },
    done(uid, entry) {
      if (!isRequested(entry)) forget(uid);
    },
    failed(_uid, error, entry) {
      entry.slot?.();
      endAttempt(entry);
      const { namespace, name } = entry.pod;
      report({ type: 'actor.failed', actor: `podDeletion ${namespace}/${name}`, error });
    },
  });
  const idle = new Map<DeletionRequest, () => void>();
  const logic = providePodDeletion({
    ...options,
    rounds,
    entryOf: (uid) => entries.get(uid),
    replaceExpired({ owner, waiting, pod: { uid } }) {
      if (waiting.length > 0 && clock.monotonic() > owner.closesAt) release(owner, uid, 'over');
    },
  });

  function create(owner: DeletionRequest, pod: CrashLoopingPod, before?: DeletionEntry): void {
    const { uid, namespace, name } = pod;
    // The actor makes its first decision before its entry exists, and must not read the entry of the previous actor.
    entries.remove(uid);
    const observed = { owner, pod, unreportedSince: owner.index.unreportedSince(uid) };
    const input = { uid, namespace, name, now: clock.monotonic, ...stateOf(observed, sources) };
    const actor = createActor(logic, { ...runtime, id: uid, input });
    const history = { slot: undefined, how: 'delete', deletedAt: undefined, reportedWait: undefined } as const;
    const { waiting = [], rejected } = before ?? {};
    const others = {
      waiting,
      rejected: new Set([...(rejected ?? []), ...(before === undefined ? [] : [before.owner])]),
    };
    entries.add(uid, { actor, ...observed, ...others, sentFor: undefined, ...history });
  }

  function sendNewestState({ actor, ...entry }: DeletionEntry): void {
    if (isActive(actor)) actor.send({ type: 'pod.crashLooping', ...stateOf(entry, sources) });
  }

  function forget(uid: string): void {
    const entry = entries.get(uid);
    if (entry !== undefined) endAttempt(entry);
    entries.remove(uid);
  }

  function endAttempt(entry: DeletionEntry): void {
    const { sentFor, owner, pod } = entry;
    if (sentFor === undefined) return;
    entry.sentFor = undefined;
    settle(sentFor, pod.uid);
    settle(owner, pod.uid);
  }

  /** The request awaits no outcome for this pod any more. */
  function settle(request: DeletionRequest, uid: string): void {
    request.pending.delete(uid);
    if (request.pending.size > 0) return;
    idle.get(request)?.();
    idle.delete(request);
  }

  /** The request ends for one pod. */
  function release(request: DeletionRequest, uid: string, because: EndOfRequest | 'recovered' | 'removed'): void {
    const entry = entries.get(uid);
    if (!request.uids.delete(uid) || entry === undefined) return;
    if (entry.owner !== request) {
      entry.waiting = entry.waiting.filter((each) => each !== request);
      return;
    }
    const next = entry.waiting.find((each) => canFollow(each, uid));
    const hasLeft = because === 'recovered' || because === 'removed';
    if (next !== undefined) handOver(entry, next, hasLeft);
    else if (!isActive(entry.actor)) leave(entry);
    else if (hasLeft) entry.actor.send({ type: `pod.${because}` });
    else entry.actor.send({ type: 'deletion.withdrawn', because });
  }

  /** The pod was handled. The entry remains for a request whose deletion was rejected, so that it is not tried again. */
  function leave(entry: DeletionEntry): void {
    const { uid } = entry.pod;
    const other = [...entry.rejected].find(({ uids }) => uids.has(uid));
    if (other === undefined) forget(uid);
    else entry.owner = other;
  }

  /** `hasLeft`: the owner's stream knows a newer state, which the stream of the next request may not have yet. */
  function handOver(entry: DeletionEntry, next: DeletionRequest, hasLeft: boolean): void {
    entry.waiting = entry.waiting.filter((each) => each !== next);
    const pod = next.index.get(entry.pod.uid) ?? entry.pod;
    const isNewer = pod.resourceVersion !== entry.pod.resourceVersion;
    const wasRejected = entry.actor.getSnapshot().matches('abandoned');
    if (!wasRejected) own(entry, next);
    else if (hasLeft && !isNewer) forget(pod.uid);
    else create(next, pod, entry);
    if (isNewer || !hasLeft) take(entry, pod);
  }

  function own(entry: DeletionEntry, request: DeletionRequest): void {
    const { owner, sentFor, pod } = entry;
    entry.owner = request;
    if (sentFor === undefined) return;
    request.pending.add(pod.uid);
    if (owner !== sentFor && owner !== request) settle(owner, pod.uid);
  }

  /** A further request for a pod: it waits, or continues what the owner has withdrawn. */
  function join(entry: DeletionEntry, request: DeletionRequest, pod: CrashLoopingPod): void {
    const { waiting, actor } = entry;
    const isFree = !isRequested(entry);
    request.uids.add(pod.uid);
    // Each window tries a rejected deletion once more, so that its results include the rejection, too.
    if (actor.getSnapshot().matches('abandoned')) create(request, pod, entry);
    else if (isFree) {
      if (isActive(actor)) actor.send({ type: 'deletion.requested' });
      own(entry, request);
      take(entry, pod);
    } else entry.waiting = [...waiting, request];
  }

  /** The newest state, as the stream of the owner has it. */
  function take(entry: DeletionEntry, pod: CrashLoopingPod): void {
    entry.pod = pod;
    entry.unreportedSince = entry.owner.index.unreportedSince(pod.uid);
    sendNewestState(entry);
  }

  return {
    request(request, pod) {
      const entry = entries.get(pod.uid);
      if (entry === undefined) {
        request.uids.add(pod.uid);
        create(request, pod);
        return;
      }
      const { owner, waiting, rejected } = entry;
      const isOther = waiting.includes(request) || rejected.has(request);
      const isKnown = request === owner ? isRequested(entry) : isOther;
      if (!isKnown) join(entry, request, pod);
      else if (request === owner && pod.resourceVersion !== entry.pod.resourceVersion) take(entry, pod);
    },
    left(request, uid, { isRemoved, deletedAt }) {
      const entry = entries.get(uid);
      if (entry !== undefined && deletedAt !== undefined) {
        entry.deletedAt = deletedAt;
        rounds.dated(entry.pod, deletedAt);
      }
      release(request, uid, isRemoved ? 'removed' : 'recovered');
    },
    withdraw: release,
    withdrawAll(request, because) {
      for (const uid of [...request.uids]) release(request, uid, because);
    },
    whenIdle(request, done) {
      if (request.pending.size === 0) done();
      else idle.set(request, done);
    },
    reconsider(uids) {
      for (const uid of uids) {
        const entry = entries.get(uid);
        // A window that is over decides nothing more, even if its timer is late.
        if (entry === undefined || !isRequested(entry) || clock.monotonic() > entry.owner.closesAt) continue;
        const { heldBy } = entry.actor.getSnapshot().context;
        if (heldBy !== options.heldBy(entry.pod, entry.owner.window)) sendNewestState(entry);
      }
    },
    reconfigured(request) {
      for (const uid of request.uids) {
        const entry = entries.get(uid);
        if (entry?.owner === request) sendNewestState(entry);
      }
    },
    actors: () => entries.actors(),
    get size() {
      return entries.size;
    },
  };
}

/** Whether the pod, as the stream of the request has it now, may be deleted: it may be about to learn that it may not. */
function canFollow({ index, policy }: DeletionRequest, uid: string): boolean {
  const pod = index.get(uid);
  return pod !== undefined && protectionBy(policy, pod) === 'none';
}

function isActive(actor: Actor<PodDeletionLogic>): boolean {
  return actor.getSnapshot().status === 'active';
}
