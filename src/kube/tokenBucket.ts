import type { Clock } from '../clock.ts';

/** `capacity` tokens at once, refilled at `perSecond` a second. */
export interface TokenBucket {
  /** Takes a token; false: there is none. */
  take(): boolean;
  /** Milliseconds until there are `tokens`, at most `capacity`; 0: there are. */
  waitFor(tokens: number): number;
}

export function createTokenBucket(capacity: number, perSecond: number, clock: Clock): TokenBucket {
  let tokens = capacity;
  let filledAt = clock.monotonic();

  function refill(): void {
    const now = clock.monotonic();
    tokens = Math.min(capacity, tokens + ((now - filledAt) / 1_000) * perSecond);
    filledAt = now;
  }

  return {
    take() {
      refill();
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
    waitFor(wanted) {
      refill();
      return tokens >= wanted ? 0 : ((wanted - tokens) / perSecond) * 1_000;
    },
  };
}
