import type { Clock } from '../base/clock.ts';

/** A bucket of `capacity` tokens, refilled at `perSecond` per second. */
export interface TokenBucket {
  /** Takes a token; false if there is none. */
  take(): boolean;
  /** Returns a token that was taken and not used. */
  refund(): void;
  /** Milliseconds until there are `tokens`, at most `capacity`; 0 if there are now. */
  waitFor(tokens: number): number;
  /** Changes the capacity and the rate; the tokens stay, as far as they fit. */
  resize(capacity: number, perSecond: number): void;
}

export function createTokenBucket(capacity: number, perSecond: number, clock: Clock): TokenBucket {
  let size = { capacity, perSecond };
  let tokens = capacity;
  let filledAt = clock.monotonic();

  function refill(): void {
    const now = clock.monotonic();
    tokens = Math.min(size.capacity, tokens + ((now - filledAt) / 1_000) * size.perSecond);
    filledAt = now;
  }

  return {
    take() {
      refill();
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
    refund() {
      refill();
      tokens = Math.min(size.capacity, tokens + 1);
    },
    waitFor(count) {
      refill();
      return tokens >= count ? 0 : ((count - tokens) / size.perSecond) * 1_000;
    },
    resize(nextCapacity, nextPerSecond) {
      refill();
      size = { capacity: nextCapacity, perSecond: nextPerSecond };
      tokens = Math.min(nextCapacity, tokens);
    },
  };
}
