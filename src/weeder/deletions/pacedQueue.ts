import type { Clock, TimerHandle } from '@weeder/kube-runtime/base';
import { createFairQueue, type FairQueue, type LimitedQueue, type Release } from '@weeder/kube-runtime/queue';
import type { Pace } from '../../config/config.ts';

interface Turn {
  /** Each key is in the queue at most once. */
  readonly key: string;
  /** The service `namespace/name` whose pace the turn counts for. */
  readonly service: string;
  /** The groups, such as namespaces, that wait for one pace take turns. Default: one group of all. */
  readonly group?: string;
  /** Undefined: the turn waits only for a slot. */
  readonly pace: Pace | undefined;
  /** Asked when the turn comes by the pace after a wait, which may have been long: whether it is still needed. */
  readonly isDue: () => boolean;
  /** Called once when it is the turn, which may be before `enter` returns. */
  readonly onGranted: () => void;
}

export interface Place {
  readonly isPaced: boolean;
  /**
   * Leaves the queue, or releases the slot; only the first call has an effect. `wasUsed: false`: the turn does not count
   * for the pace.
   */
  readonly leave: Release;
  /** Undefined: it does not wait for a pace. `waiting`: how many deletions wait for the same one. */
  readonly pacing: { readonly pace: Pace; readonly waiting: number } | undefined;
}

/**
 * The queue of all deletions, behind one line for each service with a `pace`. A turn enters the queue when its pace
 * admits it, so that the queue has no turn that could not have a slot: others are not delayed. A turn counts from then
 * until `per` after its end, so that the API server receives at most `pods` requests in any time `per`, however long
 * each of them waits for a slot or takes.
 */
export interface PacedQueue {
  enter(turn: Turn): Place;
  /** Grants no further turns. */
  close(): void;
  /** How many wait for a pace, and are not in the queue yet. */
  readonly paced: number;
}

interface Line {
  pace: Pace;
  /** Those that the pace has not admitted yet: within a group first come, first served. */
  readonly waiting: FairQueue<() => void>;
  /** How many it has admitted that have not ended. */
  active: number;
  /** The ends of the turns of the last `per`, oldest first, by the monotonic clock. */
  readonly endedAt: number[];
  timer: TimerHandle | undefined;
}

export function createPacedQueue(clock: Clock, queue: LimitedQueue): PacedQueue {
  const lines = new Map<string, Line>();
  let isClosed = false;

  function lineOf(service: string, pace: Pace): Line {
    const known = lines.get(service);
    const line = known ?? { pace, waiting: createFairQueue<() => void>(), active: 0, endedAt: [], timer: undefined };
    line.pace = pace;
    lines.set(service, line);
    return line;
  }

  function admit(service: string, line: Line): void {
    const { waiting, endedAt } = line;
    const { pods, per } = line.pace;
    const from = clock.monotonic() - per;
    while ((endedAt[0] ?? Number.POSITIVE_INFINITY) <= from) endedAt.shift();
    while (line.active + endedAt.length < pods) {
      const next = waiting.next();
      if (next === undefined) break;
      next.item();
    }
    wake(service, line);
  }

  /** Sets the timer to the time at which the next turn is free, or at which nothing is left to remember. */
  function wake(service: string, line: Line): void {
    const { waiting, endedAt, active, pace } = line;
    clock.clearTimeout(line.timer);
    line.timer = undefined;
    const last = waiting.size > 0 ? endedAt[0] : endedAt.at(-1);
    if (last === undefined && waiting.size + active === 0) lines.delete(service);
    if (last === undefined || isClosed) return;
    const wait = Math.max(1, Math.ceil(last + pace.per - clock.monotonic()));
    line.timer = clock.setTimeout(() => admit(service, line), wait);
  }

  function enterLine({ key, service, group = '', isDue, onGranted }: Turn, line: Line): Place {
    let release: Release | undefined;
    let hasWaited = false;
    let wasGranted = false;
    const enterQueue = () => {
      if (hasWaited && !isDue()) return;
      line.active += 1;
      release = queue.enter({
        key,
        onGranted(granted) {
          release = granted;
          wasGranted = true;
          onGranted();
        },
      });
    };
    line.waiting.add({ outer: group, inner: '' }, enterQueue);
    admit(service, line);
    hasWaited = true;
    return {
      isPaced: true,
      leave(how = { wasUsed: true }) {
        const held = release;
        release = undefined;
        if (held !== undefined) {
          line.active -= 1;
          if (wasGranted && how.wasUsed) line.endedAt.push(clock.monotonic());
          held(how);
        }
        if (held !== undefined || line.waiting.delete(enterQueue)) admit(service, line);
      },
      get pacing() {
        return line.waiting.has(enterQueue) ? { pace: line.pace, waiting: line.waiting.size } : undefined;
      },
    };
  }

  return {
    enter(turn) {
      const { key, service, pace, onGranted } = turn;
      if (pace !== undefined) return enterLine(turn, lineOf(service, pace));
      return { isPaced: false, leave: queue.enter({ key, onGranted }), pacing: undefined };
    },
    close() {
      isClosed = true;
      queue.close();
      for (const { timer } of lines.values()) clock.clearTimeout(timer);
    },
    get paced() {
      let sum = 0;
      for (const { waiting } of lines.values()) sum += waiting.size;
      return sum;
    },
  };
}
