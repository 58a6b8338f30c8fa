import { type Clock, sleep as pauseFor, type TimerHandle } from '@weeder/kube-runtime/base';
import type { Outcome } from '../objects/applyFailure.ts';

/** A caller that waits for something that the API server does not serve yet. */
interface Waiter {
  /** The missing item, such as an apiVersion. */
  readonly about: string;
  /** Checked after every read that began after this waiter was added. */
  readonly isAvailable: () => boolean;
}

/**
 * A read of discovery data that all callers share: one at a time, with growing pauses while something is missing. Any
 * number of waiters costs no more reads than one.
 */
export interface SharedRead {
  /** Reads, unless the last read is at most `age` milliseconds old. */
  noOlderThan(age: number): Promise<Outcome<undefined>>;
  /** Reads again because something is missing, unless the last read is no older than the current pause. */
  retryMissing(): Promise<Outcome<undefined>>;
  /** Waits for a read that begins after this call. */
  fresh(): Promise<Outcome<undefined>>;
  /** Resolves to true once the item is available, and to false if the signal aborts the wait. */
  waitFor(waiter: Waiter, signal: AbortSignal): Promise<boolean>;
  /** The cache may be stale. Waiters for an item that it `concerns` no longer wait for the end of a long pause. */
  invalidate(concerns: (about: string) => boolean): void;
  /** Returns the items that callers wait for. */
  awaited(): Iterable<string>;
}

interface SharedReadOptions {
  readonly clock: Clock;
  /** Reads from the API server and updates the cache. Does not reject. */
  readonly read: () => Promise<Outcome<undefined>>;
  /** Called when the first waiter is added and when the last one is removed. */
  readonly onWaiting?: (isWaiting: boolean) => void;
}

/** The shortest pause between two reads while something is missing, in milliseconds. */
const shortestPause = 200;
const longestPause = 60_000;
const growth = 1.5;
/** The longest pause after a failed read, regardless of the number of callers. */
const longestFailurePause = 5_000;

interface Waiting extends Waiter {
  /** The number of reads that had begun when the waiter was added. */
  readonly since: number;
  readonly settle: (isAvailable: boolean) => void;
}

export function createSharedRead({ clock, read, onWaiting }: SharedReadOptions): SharedRead {
  const waiting = new Set<Waiting>();
  let last: Outcome<undefined> = { ok: true, value: undefined };
  let begun = 0;
  let begunAt = Number.NEGATIVE_INFINITY;
  let readAt = Number.NEGATIVE_INFINITY;
  let missedAt = Number.NEGATIVE_INFINITY;
  let failures = 0;
  let pause = shortestPause;
  let isOutdated = false;
  let underWay: Promise<Outcome<undefined>> | undefined;
  let timer: TimerHandle | undefined;

  async function readNow(): Promise<Outcome<undefined>> {
    const at = clock.monotonic();
    const number = begun;
    const outcome = await read();
    underWay = undefined;
    last = outcome;
    failures = outcome.ok ? 0 : failures + 1;
    if (outcome.ok) readAt = at;
    if (outcome.ok)
      for (const waiter of [...waiting]) if (waiter.since < number && waiter.isAvailable()) waiter.settle(true);
    schedule();
    return outcome;
  }

  function begin(): Promise<Outcome<undefined>> {
    clock.clearTimeout(timer);
    timer = undefined;
    begun += 1;
    begunAt = clock.monotonic();
    isOutdated = false;
    underWay = readNow();
    return underWay;
  }

  /** The pauses grow while something is repeatedly missing. */
  function beginForMissing(): Promise<Outcome<undefined>> {
    const now = clock.monotonic();
    pause = now - missedAt > 2 * longestPause ? shortestPause : Math.min(longestPause, pause * growth);
    missedAt = now;
    return begin();
  }

  function schedule(): void {
    clock.clearTimeout(timer);
    timer = undefined;
    if (waiting.size === 0 || underWay !== undefined) return;
    timer = clock.setTimeout(beginForMissing, Math.max(0, begunAt + pause - clock.monotonic()));
  }

  function hasJustFailed(): boolean {
    const rest = Math.min(longestFailurePause, shortestPause * 2 ** failures);
    return !last.ok && clock.monotonic() - begunAt < rest;
  }

  return {
    async noOlderThan(age) {
      if (clock.monotonic() - readAt < age) return { ok: true, value: undefined };
      if (underWay !== undefined) return underWay;
      return hasJustFailed() ? last : begin();
    },
    async retryMissing() {
      if (underWay !== undefined) return underWay;
      const age = clock.monotonic() - begunAt;
      return age < (isOutdated ? shortestPause : pause) || hasJustFailed() ? last : beginForMissing();
    },
    async fresh() {
      while (underWay !== undefined) await underWay;
      const before = begun;
      const rest = begunAt + shortestPause - clock.monotonic();
      if (rest > 0) await pauseFor(clock, rest);
      if (begun !== before) return underWay ?? last;
      return underWay ?? begin();
    },
    waitFor: (waiter, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(false);
        const settle = (isAvailable: boolean) => {
          signal.removeEventListener('abort', giveUp);
          if (waiting.delete(entry) && waiting.size === 0) {
            schedule();
            onWaiting?.(false);
          }
          resolve(isAvailable);
        };
        const giveUp = () => settle(false);
        const entry: Waiting = { ...waiter, since: begun, settle };
        signal.addEventListener('abort', giveUp);
        waiting.add(entry);
        if (waiting.size === 1) onWaiting?.(true);
        if (timer === undefined) schedule();
        return undefined;
      }),
    invalidate(concerns) {
      isOutdated = true;
      if (![...waiting].some(({ about }) => concerns(about))) return;
      pause = shortestPause;
      schedule();
    },
    awaited: () => [...waiting].map(({ about }) => about),
  };
}
