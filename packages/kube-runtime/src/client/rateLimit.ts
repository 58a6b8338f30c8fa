import type { Clock, TimerHandle } from '../base/clock.ts';
import { createTokenBucket } from '../queue/tokenBucket.ts';

/** Lets requests through by rank, and within a rank in the order of arrival, no faster than the limit. */
interface RateLimiter {
  /**
   * Resolves to true when the request may be sent, and to false when `signal` ended the wait. A `background` request is
   * sent when no usual one waits; a `last` one only when no other waits and the bucket is full, so that the next
   * request lacks at most one token.
   */
  take(signal?: AbortSignal, rank?: Rank): Promise<boolean>;
  /** Ends all waits. Afterwards no timer keeps the process running. */
  close(): void;
}

export type Rank = 'usual' | 'background' | 'last';

interface Waiter {
  readonly admit: (mayGo: boolean) => void;
}

const unlimited: RateLimiter = {
  take: (signal) => Promise.resolve(signal?.aborted !== true),
  close: () => undefined,
};

/** A token bucket: `burst` requests at once, refilled at `qps` per second. `qps` 0 means no limit. */
export function rateLimiter(qps: number, burst: number, clock: Clock): RateLimiter {
  if (!(qps > 0)) return unlimited;
  const capacity = Math.max(1, burst);
  const bucket = createTokenBucket(capacity, qps, clock);
  const queues = { usual: new Set<Waiter>(), background: new Set<Waiter>(), last: new Set<Waiter>() } as const;
  let timer: TimerHandle | undefined;
  let isClosed = false;

  function admit(queue: Set<Waiter>, tokens: number): void {
    for (const waiter of queue) {
      if (bucket.waitFor(tokens) > 0 || !bucket.take()) return;
      queue.delete(waiter);
      waiter.admit(true);
    }
  }

  function admitDue(): void {
    clock.clearTimeout(timer);
    timer = undefined;
    admit(queues.usual, 1);
    if (queues.usual.size === 0) admit(queues.background, 1);
    const needed = queues.usual.size + queues.background.size;
    if (needed === 0) admit(queues.last, capacity);
    if (needed + queues.last.size === 0) return;
    const wait = bucket.waitFor(needed > 0 ? 1 : capacity);
    timer = clock.setTimeout(admitDue, Math.min(60_000, Math.max(1, wait)));
  }

  function enqueue(queue: Set<Waiter>, signal: AbortSignal | undefined): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const onAbort = () => {
      if (queue.delete(waiter)) resolve(false);
    };
    const waiter: Waiter = {
      admit: (mayGo) => {
        signal?.removeEventListener('abort', onAbort);
        resolve(mayGo);
      },
    };
    queue.add(waiter);
    signal?.addEventListener('abort', onAbort, { once: true });
    admitDue();
    return promise;
  }

  return {
    take: (signal, rank = 'usual') =>
      isClosed || signal?.aborted ? Promise.resolve(false) : enqueue(queues[rank], signal),
    close() {
      isClosed = true;
      clock.clearTimeout(timer);
      for (const queue of Object.values(queues)) {
        for (const waiter of queue) waiter.admit(false);
        queue.clear();
      }
    },
  };
}
