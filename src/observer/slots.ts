/** Gives a place back. */
export type Release = () => void;

/** So many things at once; who waits in one group does not keep those of another one waiting. */
export interface Slots {
  /**
   * Resolves with what gives the place back; undefined: nobody waits for it any more. Each waiter listens on the signal:
   * on one that thousands share, each would be compared with all others.
   */
  take(group: string, signal: AbortSignal): Promise<Release | undefined>;
  /** The same for as long as it takes. */
  wait(group: string): Promise<Release>;
  readonly active: number;
  readonly waiting: number;
}

type Grant = (release: Release) => void;

/** `most` places, which the groups that wait take in turns. */
export function createSlots(most: number): Slots {
  /** By group, the one whose turn it is first. */
  const queues = new Map<string, Set<Grant>>();
  let active = 0;
  let waiting = 0;

  function enter(group: string, grant: Grant): void {
    const queue = queues.get(group) ?? new Set();
    queues.set(group, queue.add(grant));
    waiting += 1;
  }

  function leave(group: string, grant: Grant): boolean {
    const queue = queues.get(group);
    if (queue?.delete(grant) !== true) return false;
    waiting -= 1;
    if (queue.size === 0) queues.delete(group);
    return true;
  }

  function next(): void {
    if (active >= most) return;
    for (const [group, queue] of queues) {
      for (const grant of queue) {
        leave(group, grant);
        if (queues.delete(group)) queues.set(group, queue);
        occupy(grant);
        return;
      }
    }
  }

  function occupy(grant: Grant): void {
    active += 1;
    let isHeld = true;
    grant(() => {
      if (!isHeld) return;
      isHeld = false;
      active -= 1;
      next();
    });
  }

  return {
    take: (group, signal) =>
      new Promise((grant) => {
        if (signal.aborted) return grant(undefined);
        if (active < most) return occupy(grant);
        enter(group, granted);
        signal.addEventListener('abort', giveUp);

        function granted(release: Release): void {
          signal.removeEventListener('abort', giveUp);
          grant(release);
        }

        function giveUp(): void {
          if (leave(group, granted)) grant(undefined);
        }
        return undefined;
      }),
    wait: (group) => new Promise((grant) => (active < most ? occupy(grant) : enter(group, grant))),
    get active() {
      return active;
    },
    get waiting() {
      return waiting;
    },
  };
}
