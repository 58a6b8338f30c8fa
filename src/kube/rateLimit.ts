import type { Clock, TimerHandle } from '../clock.ts';

/** Lets requests through in the order in which they came, no more often than agreed. */
export interface RateLimiter {
  /** Resolves to true when the request may go, to false when `signal` ended the wait. */
  take(signal?: AbortSignal): Promise<boolean>;
}

interface Waiter {
  readonly admit: (mayGo: boolean) => void;
}

const unlimited: RateLimiter = { take: (signal) => Promise.resolve(signal?.aborted !== true) };

/** A token bucket: `burst` requests at once, refilled at `qps` a second. `qps` 0 means no limit. */
export function rateLimiter(qps: number, burst: number, clock: Clock): RateLimiter {
  if (!(qps > 0)) return unlimited;
  const capacity = Math.max(1, burst);
  const queue = new Set<Waiter>();
  let tokens = capacity;
  let filledAt = clock.monotonic();
  let timer: TimerHandle | undefined;

  function refill(): void {
    const now = clock.monotonic();
    tokens = Math.min(capacity, tokens + ((now - filledAt) / 1_000) * qps);
    filledAt = now;
  }

  function admitDue(): void {
    timer = undefined;
    refill();
    for (const waiter of queue) {
      if (tokens < 1) break;
      tokens -= 1;
      queue.delete(waiter);
      waiter.admit(true);
    }
    if (queue.size > 0) timer = clock.setTimeout(admitDue, Math.min(60_000, Math.max(1, ((1 - tokens) / qps) * 1_000)));
  }

  function enqueue(signal: AbortSignal | undefined): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const giveUp = () => {
      if (queue.delete(waiter)) resolve(false);
    };
    const waiter: Waiter = {
      admit: (mayGo) => {
        signal?.removeEventListener('abort', giveUp);
        resolve(mayGo);
      },
    };
    queue.add(waiter);
    signal?.addEventListener('abort', giveUp, { once: true });
    if (timer === undefined) admitDue();
    return promise;
  }

  return {
    take(signal) {
      if (signal?.aborted) return Promise.resolve(false);
      refill();
      if (queue.size > 0 || tokens < 1) return enqueue(signal);
      tokens -= 1;
      return Promise.resolve(true);
    },
  };
}
