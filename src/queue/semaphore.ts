import { createFairQueue, type Share } from './fairQueue.ts';

/** Gives a place back. */
export type Release = () => void;

/**
 * So many things at once. The namespaces of those who wait take turns, and within each its applications: whoever has many
 * applications, or many resources, keeps nobody else waiting for longer.
 */
export interface Semaphore {
  /**
   * Resolves with what gives the place back; undefined: nobody waits for it any more. Each waiter listens on the signal:
   * on one that thousands share, each would be compared with all others. `application`: `namespace/name`.
   */
  acquire(application: string, signal: AbortSignal): Promise<Release | undefined>;
  /** The same for as long as it takes. */
  acquireEventually(application: string): Promise<Release>;
  readonly active: number;
  readonly waiting: number;
}

type Grant = (release: Release) => void;

/**
 * `most` places for each namespace, and a few `more` for all of them together: one whose requests are slow, by its own
 * admission webhook for instance, does not have them all.
 */
export function createSemaphore(most: number, more = Math.ceil(most / 4)): Semaphore {
  const slots = most + more;
  const queue = createFairQueue<Grant>();
  /** By namespace: how many it has now. */
  const held = new Map<string, number>();
  let active = 0;

  const hasSlot = (namespace: string) => active < slots && (held.get(namespace) ?? 0) < most;

  function next(): void {
    if (active >= slots) return;
    const found = queue.next(hasSlot);
    if (found !== undefined) occupy(found.share.outer, found.item);
  }

  function occupy(namespace: string, grant: Grant): void {
    active += 1;
    held.set(namespace, (held.get(namespace) ?? 0) + 1);
    let isHeld = true;
    grant(() => {
      if (!isHeld) return;
      isHeld = false;
      active -= 1;
      const left = (held.get(namespace) ?? 0) - 1;
      if (left > 0) held.set(namespace, left);
      else held.delete(namespace);
      next();
    });
  }

  /** Whoever comes while others wait does so because no place is left for them. */
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
        if (queue.has(granted)) signal.addEventListener('abort', giveUp);

        function granted(release: Release): void {
          signal.removeEventListener('abort', giveUp);
          grant(release);
        }

        function giveUp(): void {
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
