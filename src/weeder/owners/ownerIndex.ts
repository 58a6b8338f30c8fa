/**
 * The objects whose newest failure to create a pod was a webhook that could not be called, from a stream of Events. An
 * object whose newest failure is another one, such as a quota, is not among them. An Event speaks only for objects of
 * its own namespace, whatever uid it names, and no later than now: a tenant that creates Events in a namespace displaces
 * only objects of that namespace.
 */

import type { Clock } from '@weeder/kube-runtime/base';
import type { ClosableSink } from '@weeder/kube-runtime/watch';
import { addTo, removeFrom } from '../../base/mapOfSets.ts';
import { type FailedCreate, failedCreateOf, type PodOwner } from './failedCreate.ts';

/** The newest failed creation, which a webhook refused. */
export interface RefusedCreation {
  readonly owner: PodOwner;
  readonly webhook: string;
  /** Another value says that the creation has failed again. */
  readonly evidence: string;
}

/** Identifies an object. A user that may create Events chooses the uid in them, but not the namespace. */
export function ownerKey({ namespace, uid }: Pick<PodOwner, 'namespace' | 'uid'>): string {
  return `${namespace}/${uid}`;
}

/** The sink of the streams of Events with the reason FailedCreate. */
export interface OwnerIndex {
  createSink(): ClosableSink;
  /** Reports every object that a webhook has refused, and then each new failure. Returns the unsubscribe function. */
  subscribe(listener: (refused: RefusedCreation) => void): () => void;
  readonly size: number;
}

interface Known extends FailedCreate {
  readonly source: Source;
  /** The number of the list of its stream that had it last. */
  readonly list: number;
}

interface Source {
  list: number;
}

const maxOwners = 10_000;
const maxOfNamespace = 100;

/** `onDropped`: the namespace has more objects than are followed; called once for each time that this begins. */
export function createOwnerIndex(clock: Pick<Clock, 'now'>, onDropped: (namespace: string) => void): OwnerIndex {
  /** By the key of the object, the oldest first. */
  const known = new Map<string, Known>();
  /** The keys of the objects of each namespace, the oldest first. */
  const byNamespace = new Map<string, Set<string>>();
  const overfull = new Set<string>();
  const listeners = new Set<(refused: RefusedCreation) => void>();

  function remove(key: string): void {
    const failed = known.get(key);
    if (failed === undefined) return;
    known.delete(key);
    removeFrom(byNamespace, failed.owner.namespace, key);
    if (!byNamespace.has(failed.owner.namespace)) overfull.delete(failed.owner.namespace);
  }

  function drop(key: string | undefined, namespace: string): void {
    if (key !== undefined) remove(key);
    if (overfull.has(namespace)) return;
    overfull.add(namespace);
    onDropped(namespace);
  }

  function put(failed: Known): void {
    const { namespace } = failed.owner;
    const key = ownerKey(failed.owner);
    remove(key);
    const own = byNamespace.get(namespace) ?? new Set();
    if (own.size >= maxOfNamespace) drop(own.values().next().value, namespace);
    else if (known.size >= maxOwners) dropOldest();
    known.set(key, failed);
    addTo(byNamespace, namespace, key);
  }

  function dropOldest(): void {
    const [oldest] = known.values();
    if (oldest !== undefined) drop(ownerKey(oldest.owner), oldest.owner.namespace);
  }

  function take(source: Source, said: FailedCreate): void {
    const failed = { ...said, at: Math.min(said.at, clock.now()) };
    const key = ownerKey(failed.owner);
    const before = known.get(key);
    const isSame = before?.event === failed.event;
    if (before !== undefined && !isSame && before.at > failed.at) return;
    const now = { ...failed, source, list: source.list };
    if (isSame && before.version === failed.version) {
      known.set(key, now);
      return;
    }
    put(now);
    const refused = refusedBy(now);
    if (refused !== undefined) for (const listener of [...listeners]) listener(refused);
  }

  return {
    createSink() {
      const source: Source = { list: 0 };
      return {
        begin() {
          source.list += 1;
        },
        apply(type, object) {
          const failed = failedCreateOf(object);
          if (failed === undefined) return;
          if (type !== 'DELETED') take(source, failed);
          else if (known.get(ownerKey(failed.owner))?.event === failed.event) remove(ownerKey(failed.owner));
        },
        end() {
          for (const [key, { source: by, list }] of known) if (by === source && list !== source.list) remove(key);
        },
        close() {
          for (const [key, { source: by }] of known) if (by === source) remove(key);
        },
      };
    },
    subscribe(listener) {
      listeners.add(listener);
      for (const failed of [...known.values()]) {
        const refused = refusedBy(failed);
        if (refused !== undefined) listener(refused);
      }
      return () => listeners.delete(listener);
    },
    get size() {
      return known.size;
    },
  };
}

function refusedBy({ owner, webhook, event, version }: Known): RefusedCreation | undefined {
  return webhook === undefined ? undefined : { owner, webhook, evidence: `${event}/${version}` };
}
