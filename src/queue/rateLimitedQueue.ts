import type { Clock, TimerHandle } from '../base/clock.ts';
import { createTokenBucket } from './tokenBucket.ts';

/** How many turns there are: `burst` at once after a quiet time, `perMinute` from then on, `atOnce` held together. */
interface RateLimit {
  readonly perMinute: number;
  readonly burst: number;
  readonly atOnce: number;
}

interface Waiter {
  /** Names the asker; each is in the queue once. */
  readonly key: string;
  readonly namespace: string;
  /** Since when it wants its turn, by the clock that all who ask go by: in one namespace the oldest is first. */
  readonly since: number;
  /** Called once when it is its turn, which may be at once, before `ask` returns. */
  readonly onGranted: () => void;
  /** Called when it is not its turn at once, and when the pace is another one while it waits. */
  readonly onWaits?: () => void;
}

/** Gives the place back, or up. `wasUsed: false`: the turn was not needed, and somebody else may have it at once. */
export type Release = (how?: { readonly wasUsed: boolean }) => void;

/** Who may go now: at an agreed pace, and from each namespace that waits as often as from any other. */
interface RateLimitedQueue {
  /** An asker that is in the queue already is a mistake of the caller, and throws. */
  enter(asker: Waiter): Release;
  /** Takes a place for what is under way already, even where there is none left. */
  hold(key: string): Release;
  /** The pace is another one: asked for again, as with each turn. */
  rateLimitChanged(): void;
  /** Gives no turns any more. */
  close(): void;
  readonly waiting: number;
  readonly active: number;
}

/** A timer looks again at the latest after a minute: a pace of 0 has no time at which the next turn is due. */
const longestWait = 60_000;

export function createRateLimitedQueue(clock: Clock, rateLimit: () => RateLimit): RateLimitedQueue {
  let agreed = rateLimit();
  const bucket = createTokenBucket(Math.max(1, agreed.burst), agreed.perMinute / 60, clock);
  const waiting = new Map<string, Waiter>();
  const active = new Set<string>();
  /**
   * By namespace those that wait, the namespace whose turn it is first. It keeps its place while none of its own waits,
   * as long as others do: what changes while it waits asks anew, and must not fall behind each time.
   */
  const order = new Map<string, Set<Waiter>>();
  let timer: TimerHandle | undefined;
  let isClosed = false;

  function next(): Waiter | undefined {
    for (const askers of order.values()) {
      const oldest = oldestOf(askers);
      if (oldest !== undefined) return oldest;
    }
    return undefined;
  }

  function grant(asker: Waiter): void {
    const { key, namespace } = asker;
    const askers = order.get(namespace) ?? new Set();
    leave(asker);
    order.delete(namespace);
    order.set(namespace, askers);
    active.add(key);
    asker.onGranted();
  }

  function isWaiting(asker: Waiter): boolean {
    return waiting.get(asker.key) === asker;
  }

  function leave(asker: Waiter): void {
    waiting.delete(asker.key);
    order.get(asker.namespace)?.delete(asker);
  }

  function grantSlots(): void {
    agreed = rateLimit();
    bucket.resize(Math.max(1, agreed.burst), agreed.perMinute / 60);
    for (let asker = next(); asker !== undefined; asker = next()) {
      if (isClosed || active.size >= agreed.atOnce || !bucket.take()) break;
      grant(asker);
    }
    if (waiting.size === 0) order.clear();
    clock.clearTimeout(timer);
    timer = undefined;
    // Without a free place the next turn comes with a release, not with time.
    if (isClosed || waiting.size === 0 || active.size >= agreed.atOnce) return;
    timer = clock.setTimeout(grantSlots, Math.min(longestWait, Math.max(1, bucket.waitFor(1))));
  }

  /** A release that does its work once. */
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
    enter(asker) {
      refuseTwice(asker.key);
      waiting.set(asker.key, asker);
      const askers = order.get(asker.namespace) ?? new Set();
      order.set(asker.namespace, askers.add(asker));
      grantSlots();
      if (isWaiting(asker)) asker.onWaits?.();
      return release((wasUsed) => {
        if (isWaiting(asker)) leave(asker);
        else if (active.delete(asker.key) && !wasUsed) bucket.putBack();
      });
    },
    hold(key) {
      refuseTwice(key);
      active.add(key);
      return release(() => active.delete(key));
    },
    rateLimitChanged() {
      grantSlots();
      for (const asker of [...waiting.values()]) if (isWaiting(asker)) asker.onWaits?.();
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

function oldestOf(askers: ReadonlySet<Waiter>): Waiter | undefined {
  let oldest: Waiter | undefined;
  for (const asker of askers) if (oldest === undefined || asker.since < oldest.since) oldest = asker;
  return oldest;
}
