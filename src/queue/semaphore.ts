import { createFairQueue, type Share } from './fairQueue.ts';

/** Releases the place. */
export type Release = () => void;

/**
 * Limits concurrency. The namespaces of the waiters take turns, and within each its applications, so that many
 * applications or resources of one do not delay the others.
 */
export interface Semaphore {
  /**
   * Resolves with the function that releases the place; undefined: `signal` was aborted. Each waiter listens on the
   * signal: on a signal that thousands share, adding a listener compares it with all others. `application`:
   * `namespace/name`.
   */
  acquire(application: string, signal: AbortSignal): Promise<Release | undefined>;
  /** The same, without a way to cancel. */
  acquireEventually(application: string): Promise<Release>;
  readonly active: number;
  readonly waiting: number;
}

type Grant = (release: Release) => void;

/**
 * `most` places for each namespace, and a few `more` for all of them together: a namespace whose requests are slow, for
 * example because of its own admission webhook, cannot take all places.
 */
export function createSemaphore(most: number, more = Math.ceil(most / 4)): Semaphore {
  const slots = most + more;
  const queue = createFairQueue<Grant>();
  /** The number of places taken, by namespace. */
  const taken = new Map<string, number>();
  let active = 0;

  const hasSlot = (namespace: string) => active < slots && (taken.get(namespace) ?? 0) < most;

  function next(): void {
    if (active >= slots) return;
    const found = queue.next(hasSlot);
    if (found !== undefined) occupy(found.share.outer, found.item);
  }

  function occupy(namespace: string, grant: Grant): void {
    active += 1;
    taken.set(namespace, (taken.get(namespace) ?? 0) + 1);
    let isTaken = true;
    grant(() => {
      if (!isTaken) return;
      isTaken = false;
      active -= 1;
      const left = (taken.get(namespace) ?? 0) - 1;
      if (left > 0) taken.set(namespace, left);
      else taken.delete(namespace);
      next();
    });
  }

  /** Others of the same namespace wait only while no place is free for it, so a new caller overtakes none of them. */
  function enter(application: string, grant: Grant): void {
    const share = shareOf(application);
    if (hasSlot(share.outer)) occupy(share.outer, grant);
    else queue.add(share, grant);
  }

  return {
    acquire: (application, signal) =>
      new Promise((grant) => {
        if (signal.aborted) return grant(undefined);
        enter(application, granted);
        if (queue.has(granted)) signal.addEventListener('abort', onAbort);

        function granted(release: Release): void {
          signal.removeEventListener('abort', onAbort);
          grant(release);
        }

        function onAbort(): void {
          if (queue.delete(granted)) grant(undefined);
        }
        return undefined;
      }),
    acquireEventually: (application) => new Promise((grant) => enter(application, grant)),
    get active() {
      return active;
    },
    get waiting() {
      return queue.size;
    },
  };
}

function shareOf(application: string): Share {
  const slash = application.indexOf('/');
  return { outer: application.slice(0, Math.max(0, slash)), inner: application.slice(slash + 1) };
}
