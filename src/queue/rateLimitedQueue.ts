import type { Clock, TimerHandle } from '../base/clock.ts';
import { createTokenBucket } from './tokenBucket.ts';

/**
 * The limits: `burst` turns at once after a quiet time, `perMinute` from then on, and at most `atOnce` taken at the same
 * time.
 */
interface RateLimit {
  readonly perMinute: number;
  readonly burst: number;
  readonly atOnce: number;
}

interface Waiter {
  /** Identifies the waiter; each key is in the queue at most once. */
  readonly key: string;
  readonly namespace: string;
  /**
   * Since when the waiter needs its turn, by a clock that all waiters share: within a namespace the oldest is first.
   */
  readonly since: number;
  /** Called once when it is the waiter's turn, which may be before `enter` returns. */
  readonly onGranted: () => void;
  /** Called if the turn is not granted immediately, and when the rate limit changes while it waits. */
  readonly onWaits?: () => void;
}

/** Releases the place. `wasUsed: false`: the turn was not needed, and another waiter may have it immediately. */
export type Release = (how?: { readonly wasUsed: boolean }) => void;

/** Grants turns at a limited rate, and equally often to each namespace that waits. */
interface RateLimitedQueue {
  /** Throws if the waiter is already in the queue, which is a bug of the caller. */
  enter(waiter: Waiter): Release;
  /** Takes a place for work that is already in progress, even if none is free. */
  hold(key: string): Release;
  /** The rate limit has changed, and is read again, as with each turn. */
  rateLimitChanged(): void;
  /** Grants no further turns. */
  close(): void;
  readonly waiting: number;
  readonly active: number;
}

/**
 * The timer checks again after a minute at the latest: with a rate of 0 there is no time at which the next turn is due.
 */
const longestWait = 60_000;

export function createRateLimitedQueue(clock: Clock, rateLimit: () => RateLimit): RateLimitedQueue {
  let agreed = rateLimit();
  const bucket = createTokenBucket(Math.max(1, agreed.burst), agreed.perMinute / 60, clock);
  const waiting = new Map<string, Waiter>();
  const active = new Set<string>();
  /**
   * The waiters by namespace; the namespace whose turn is next comes first. A namespace without waiters keeps its
   * position while others wait: a waiter that changes re-enters, and must not fall behind each time.
   */
  const order = new Map<string, Set<Waiter>>();
  let timer: TimerHandle | undefined;
  let isClosed = false;

  function next(): Waiter | undefined {
    for (const waiters of order.values()) {
      const oldest = oldestOf(waiters);
      if (oldest !== undefined) return oldest;
    }
    return undefined;
  }

  function grant(waiter: Waiter): void {
    const { key, namespace } = waiter;
    const waiters = order.get(namespace) ?? new Set();
    leave(waiter);
    order.delete(namespace);
    order.set(namespace, waiters);
    active.add(key);
    waiter.onGranted();
  }

  function isWaiting(waiter: Waiter): boolean {
    return waiting.get(waiter.key) === waiter;
  }

  function leave(waiter: Waiter): void {
    waiting.delete(waiter.key);
    order.get(waiter.namespace)?.delete(waiter);
  }

  function grantSlots(): void {
    agreed = rateLimit();
    bucket.resize(Math.max(1, agreed.burst), agreed.perMinute / 60);
    for (let waiter = next(); waiter !== undefined; waiter = next()) {
      if (isClosed || active.size >= agreed.atOnce || !bucket.take()) break;
      grant(waiter);
    }
    if (waiting.size === 0) order.clear();
    clock.clearTimeout(timer);
    timer = undefined;
    // If no place is free, the next turn comes with a release, and not with time.
    if (isClosed || waiting.size === 0 || active.size >= agreed.atOnce) return;
    timer = clock.setTimeout(grantSlots, Math.min(longestWait, Math.max(1, bucket.waitFor(1))));
  }

  /** A release that takes effect only once. */
  function release(leaveWith: (wasUsed: boolean) => void): Release {
    let hasLeft = false;
    return ({ wasUsed } = { wasUsed: true }) => {
      if (hasLeft) return;
      hasLeft = true;
      leaveWith(wasUsed);
      grantSlots();
    };
  }

  function refuseTwice(key: string): void {
    if (waiting.has(key) || active.has(key)) throw new Error(`${key} is in the queue already`);
  }

  return {
    enter(waiter) {
      refuseTwice(waiter.key);
      waiting.set(waiter.key, waiter);
      const waiters = order.get(waiter.namespace) ?? new Set();
      order.set(waiter.namespace, waiters.add(waiter));
      grantSlots();
      if (isWaiting(waiter)) waiter.onWaits?.();
      return release((wasUsed) => {
        if (isWaiting(waiter)) leave(waiter);
        else if (active.delete(waiter.key) && !wasUsed) bucket.refund();
      });
    },
    hold(key) {
      refuseTwice(key);
      active.add(key);
      return release(() => active.delete(key));
    },
    rateLimitChanged() {
      grantSlots();
      for (const waiter of [...waiting.values()]) if (isWaiting(waiter)) waiter.onWaits?.();
    },
    close() {
      isClosed = true;
      clock.clearTimeout(timer);
    },
    get waiting() {
      return waiting.size;
    },
    get active() {
      return active.size;
    },
  };
}

function oldestOf(waiters: ReadonlySet<Waiter>): Waiter | undefined {
  let oldest: Waiter | undefined;
  for (const waiter of waiters) if (oldest === undefined || waiter.since < oldest.since) oldest = waiter;
  return oldest;
}
