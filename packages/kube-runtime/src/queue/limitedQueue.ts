import type { Clock, TimerHandle } from '../base/clock.ts';
import { createFairQueue, type Share } from './fairQueue.ts';
import { createTokenBucket } from './tokenBucket.ts';

interface Limits {
  /** How many turns may be active at the same time. */
  readonly atOnce: number;
  /** How many of them may belong to one outer group. Default: all. */
  readonly perGroup?: number;
}

/** `burst` turns at once after a quiet time, `perMinute` from then on. */
interface Pace {
  readonly clock: Clock;
  readonly rate: () => { readonly perMinute: number; readonly burst: number };
}

interface Waiter {
  /** Each key is in the queue at most once. Undefined: the waiter is not compared with others. */
  readonly key?: string;
  /** Default: one group of all. */
  readonly share?: Share;
  /**
   * With a pace: since when the waiter needs its turn, by a clock that all waiters share. Within a group the oldest is
   * first.
   */
  readonly since?: number;
  /** Called once when it is the waiter's turn, which may be before `enter` returns. */
  readonly onGranted: (release: Release) => void;
  /** Called if the turn is not granted immediately, and when the limits change while it waits. */
  readonly onWaits?: () => void;
}

/**
 * Leaves the queue, or releases the slot; only the first call has an effect. `wasUsed: false`: the turn was not needed,
 * and another waiter may have it immediately.
 */
export type Release = (how?: { readonly wasUsed: boolean }) => void;

/**
 * Grants turns fairly to all groups that wait, with limited concurrency and at a limited rate if there is a pace. The
 * caller decides by the newest state when its turn comes.
 */
export interface LimitedQueue {
  /** Throws if the key is already in the queue, which is a bug of the caller. */
  enter(waiter: Waiter): Release;
  /** Takes a slot for work that is already in progress, even if none is free. */
  hold(key: string): Release;
  /** The limits have changed, and are read again, as with each turn. */
  limitsChanged(): void;
  /** Grants no further turns. */
  close(): void;
  /** Resolves when no turn is active. */
  idle(): Promise<void>;
  readonly waiting: number;
  readonly active: number;
}

const commonShare: Share = { outer: '', inner: '' };
/**
 * The timer checks again after a minute at the latest: with a rate of 0 there is no time at which the next turn is due.
 */
const longestWait = 60_000;

export function createLimitedQueue(limits: () => Limits, pace?: Pace): LimitedQueue {
  const bucket = pace && createTokenBucket(...sizeOf(pace), pace.clock);
  const queue = createFairQueue<Waiter & { readonly release: Release }>({
    sinceOf: pace && (({ since = 0 }) => since),
  });
  const keys = new Set<string>();
  /** The number of active turns by outer group. */
  const taken = new Map<string, number>();
  const idleWaiters: (() => void)[] = [];
  let active = 0;
  let timer: TimerHandle | undefined;
  let isClosed = false;

  function grantTurns(): void {
    const { atOnce, perGroup = atOnce } = limits();
    const hasSlot = (outer: string) => (taken.get(outer) ?? 0) < perGroup;
    if (pace !== undefined) bucket?.resize(...sizeOf(pace));
    while (!isClosed && active < atOnce && (bucket?.waitFor(1) ?? 0) === 0) {
      const next = queue.next(hasSlot)?.item;
      if (next === undefined) break;
      bucket?.take();
      occupy(next.share, 1);
      next.onGranted(next.release);
    }
    pace?.clock.clearTimeout(timer);
    timer = undefined;
    // If no slot is free, the next turn comes with a release, and not with time.
    if (bucket === undefined || isClosed || queue.size === 0 || active >= atOnce) return;
    timer = pace?.clock.setTimeout(grantTurns, Math.min(longestWait, Math.max(1, bucket.waitFor(1))));
  }

  function occupy({ outer }: Share = commonShare, by: 1 | -1): void {
    const left = (taken.get(outer) ?? 0) + by;
    active += by;
    if (left === 0) taken.delete(outer);
    else taken.set(outer, left);
  }

  function addKey(key: string): void {
    if (keys.has(key)) throw new Error(`${key} is in the queue already`);
    keys.add(key);
  }

  function createRelease(key: string | undefined, leave: (wasUsed: boolean) => void): Release {
    let hasLeft = false;
    return ({ wasUsed } = { wasUsed: true }) => {
      if (hasLeft) return;
      hasLeft = true;
      if (key !== undefined) keys.delete(key);
      leave(wasUsed);
      grantTurns();
      if (active === 0) for (const resolve of idleWaiters.splice(0)) resolve();
    };
  }

  return {
    enter(waiter) {
      const { key, share = commonShare } = waiter;
      if (key !== undefined) addKey(key);
      const release = createRelease(key, (wasUsed) => {
        if (queue.delete(item)) return;
        occupy(share, -1);
        if (!wasUsed) bucket?.refund();
      });
      const item = { ...waiter, release };
      queue.add(share, item);
      grantTurns();
      if (queue.has(item)) item.onWaits?.();
      return release;
    },
    hold(key) {
      addKey(key);
      occupy(commonShare, 1);
      return createRelease(key, () => occupy(commonShare, -1));
    },
    limitsChanged() {
      grantTurns();
      for (const item of [...queue]) if (queue.has(item)) item.onWaits?.();
    },
    close() {
      isClosed = true;
      pace?.clock.clearTimeout(timer);
    },
    idle: () => (active === 0 ? Promise.resolve() : new Promise((resolve) => idleWaiters.push(resolve))),
    get waiting() {
      return queue.size;
    },
    get active() {
      return active;
    },
  };
}

/** The capacity of the bucket, and its tokens per second. */
function sizeOf({ rate }: Pace): [number, number] {
  const { perMinute, burst } = rate();
  return [Math.max(1, burst), perMinute / 60];
}
