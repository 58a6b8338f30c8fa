import { type Actor, createActor } from 'xstate';
import { longestProof, type podCreation } from '../../../machines/weeder/podCreation.ts';
import type { WithdrawalReason } from '../../../machines/weeder/podDeletion.ts';
import type { ActorRuntime } from '../../actors/actorRuntime.ts';
import { createRegistry } from '../../actors/registry.ts';
import { addTo, removeFrom } from '../../base/mapOfSets.ts';
import type { PacedQueue } from '../deletions/pacedQueue.ts';
import { ownerKey, type RefusedCreation } from '../owners/ownerIndex.ts';
import { type CreationEffects, providePodCreation } from './creationActor.ts';
import type { CreationEntry, CreationRequest } from './creationEntry.ts';
import { createRetryRounds } from './retryRounds.ts';

/**
 * The objects whose controllers open windows have retried, each once for each evidence. Each has a `podCreation` actor,
 * which is a root and belongs to one request: the outcome counts once. In each window one object goes first.
 */
export interface Creations {
  /** A webhook of the service has refused pods of this object. It is ignored if a hundred of its namespace wait. */
  request(request: CreationRequest, refused: RefusedCreation): void;
  withdrawAll(request: CreationRequest, because: WithdrawalReason): void;
  /** Calls `done` once no attempt is in flight whose outcome counts for the request. */
  whenIdle(request: CreationRequest, done: () => void): void;
  actors(): Iterable<Actor<typeof podCreation>>;
  readonly size: number;
}

interface CreationsOptions extends Omit<CreationEffects, 'entryOf' | 'requestSlot' | 'rounds'> {
  readonly runtime: ActorRuntime;
  readonly queue: PacedQueue;
  /** How many retries may begin in one second. */
  readonly maxPerSecond: () => number;
}

const maxOfNamespace = 100;

export function createCreations(options: CreationsOptions): Creations {
  const { clock, runtime, report, queue, maxPerSecond } = options;
  const rounds = createRetryRounds(clock);
  const byNamespace = new Map<string, Set<string>>();
  const idle = new Map<CreationRequest, () => void>();
  const registry = createRegistry<CreationEntry>({
    changed(_key, entry) {
      if (!entry.actor.getSnapshot().matches('attempting')) leaveSlot(entry);
    },
    dropped: (key, entry) => ended(key, entry),
    failed(_key, error, { refused: { owner } }) {
      report({ type: 'actor.failed', actor: `podCreation ${owner.namespace}/${owner.name}`, error });
    },
  });
  const logic = providePodCreation({
    ...options,
    rounds,
    entryOf: (owner) => registry.get(ownerKey(owner)),
    requestSlot,
  });

  /** An object that is gone or has its pods was only read, which does not count for the pace. */
  function leaveSlot({ actor, slot }: CreationEntry): void {
    const now = actor.getSnapshot();
    slot?.leave({ wasUsed: !now.matches('unneeded') && !now.matches('removed') });
  }

  function ended(key: string, entry: CreationEntry): void {
    leaveSlot(entry);
    removeFrom(byNamespace, entry.actor.getSnapshot().context.namespace, key);
    const { owner, actor, waiting, refused } = entry;
    if (owner.canary?.key === key) passOn(owner, entry);
    // The window after it has no outcome of its own yet, if this attempt was withdrawn while it was in flight.
    if (!actor.getSnapshot().matches('removed')) for (const each of waiting) request(each, refused);
    const done = idle.get(owner);
    if (done === undefined || isAwaited(owner)) return;
    idle.delete(owner);
    done();
  }

  /** The object that went first has ended. Unless it was retried, nothing is proven, and another one goes first. */
  function passOn(request: CreationRequest, { actor }: CreationEntry): void {
    const others = [...registry.entries()].filter(
      (each) => each.owner === request && each.actor.getSnapshot().matches('waiting'),
    );
    const now = actor.getSnapshot();
    const isProven = now.matches('retried');
    const next = nextInTurn(others, now.context.namespace);
    const until = request.canary?.until ?? 0;
    const key = isProven || next === undefined ? '' : ownerKey(next.refused.owner);
    request.canary = { key, until: isProven ? 0 : until };
    for (const each of isProven ? others : others.filter((other) => other === next))
      each.actor.send({ type: 'canary.passed' });
  }

  function isAwaited(request: CreationRequest): boolean {
    return [...registry.entries()].some(
      ({ owner, actor }) => owner === request && actor.getSnapshot().matches({ attempting: 'retrying' }),
    );
  }

  function create(owner: CreationRequest, refused: RefusedCreation): void {
    const { uid, namespace, name } = refused.owner;
    const key = ownerKey(refused.owner);
    const pausedUntil = rounds.dueAt(refused);
    const now = clock.monotonic();
    const isCanary = owner.canary === undefined && pausedUntil <= now;
    const canaryUntil = isCanary ? 0 : (owner.canary?.until ?? 0);
    if (isCanary) owner.canary = { key, until: now + longestProof };
    const input = { uid, namespace, name, pausedUntil, canaryUntil, isCanary, now: clock.monotonic };
    const actor = createActor(logic, { ...runtime, id: uid, input });
    addTo(byNamespace, namespace, key);
    registry.add(key, { actor, owner, waiting: [], refused, slot: undefined, refusal: undefined });
  }

  function request(by: CreationRequest, refused: RefusedCreation): void {
    if (clock.monotonic() > by.closesAt || !rounds.isNew(refused)) return;
    const entry = registry.get(ownerKey(refused.owner));
    if (entry === undefined) {
      const others = byNamespace.get(refused.owner.namespace)?.size ?? 0;
      if (others < maxOfNamespace) create(by, refused);
      return;
    }
    entry.refused = refused;
    if (entry.owner !== by && !entry.waiting.includes(by)) entry.waiting = [...entry.waiting, by];
  }

  function requestSlot(entry: CreationEntry): void {
    const { actor, refused } = entry;
    entry.slot?.leave();
    entry.slot = queue.enter({
      key: ownerKey(refused.owner),
      service: 'podCreation',
      group: refused.owner.namespace,
      pace: { pods: maxPerSecond(), per: 1000 },
      isDue: () => actor.getSnapshot().matches({ attempting: 'queued' }) && clock.monotonic() <= entry.owner.closesAt,
      onGranted: () => actor.send({ type: 'slot.granted' }),
    });
  }

  function withdraw(request: CreationRequest, entry: CreationEntry, because: WithdrawalReason): void {
    entry.waiting = entry.waiting.filter((each) => each !== request);
    if (entry.owner !== request) return;
    const [next, ...others] = entry.waiting;
    const isInFlight = entry.actor.getSnapshot().matches({ attempting: 'retrying' });
    if (next === undefined || isInFlight) {
      entry.actor.send({ type: 'retry.withdrawn', because });
      return;
    }
    entry.owner = next;
    entry.waiting = others;
  }

  return {
    request,
    withdrawAll(request, because) {
      request.canary = undefined;
      for (const entry of [...registry.entries()]) withdraw(request, entry, because);
    },
    whenIdle(request, done) {
      if (isAwaited(request)) idle.set(request, done);
      else done();
    },
    actors: () => registry.actors(),
    get size() {
      return registry.size;
    },
  };
}

/** The namespaces take turns, in the order of their names: one whose objects prove nothing has one turn of each round. */
function nextInTurn(entries: readonly CreationEntry[], last: string): CreationEntry | undefined {
  const namespaces = [...new Set(entries.map(namespaceOf))].sort();
  const turn = namespaces.find((namespace) => namespace > last) ?? namespaces[0];
  return entries.find((entry) => namespaceOf(entry) === turn);
}

function namespaceOf({ refused }: CreationEntry): string {
  return refused.owner.namespace;
}
