/** Gives a place back. */
export type Release = () => void;

/** So many things at once; who waits in one group does not keep those of another one waiting. */
export interface Slots {
  /** Resolves with what gives the place back; undefined: nobody waits for it any more. */
  take(group: string, signal: AbortSignal): Promise<Release | undefined>;
  readonly active: number;
  readonly waiting: number;
}

type Grant = (release: Release | undefined) => void;

/** `most` places, which the groups that wait take in turns. */
export function createSlots(most: number): Slots {
  /** By group, the one whose turn it is first. */
  const queues = new Map<string, Set<Grant>>();
  let active = 0;
  let waiting = 0;

  function leave(group: string, queue: Set<Grant>, grant: Grant): boolean {
    const wasThere = queue.delete(grant);
    if (wasThere) waiting -= 1;
    if (queue.size === 0 && queues.get(group) === queue) queues.delete(group);
    return wasThere;
  }

  function next(): void {
    if (active >= most) return;
    for (const [group, queue] of queues) {
      for (const grant of queue) {
        leave(group, queue, grant);
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
        const queue = queues.get(group) ?? new Set();
        queues.set(group, queue.add(once));
        waiting += 1;
        signal.addEventListener('abort', giveUp);

        function once(release: Release | undefined): void {
          signal.removeEventListener('abort', giveUp);
          grant(release);
        }

        function giveUp(): void {
          if (leave(group, queue, once)) grant(undefined);
        }
        return undefined;
      }),
    get active() {
      return active;
    },
    get waiting() {
      return waiting;
    },
  };
}
