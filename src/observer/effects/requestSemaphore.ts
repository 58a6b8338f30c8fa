import type { Clock } from '../../base/clock.ts';
import { createSemaphore, type Release, type Semaphore } from '../../queue/semaphore.ts';

/** Limits concurrent requests. Slow requests do not hold up others. */
export interface RequestSemaphore extends Pick<Semaphore, 'active' | 'waiting'> {
  /**
   * Acquires a slot for a request of this application about an object of this apiVersion; undefined if the signal ended
   * the wait. `onSlow` is called when the caller should stop waiting: the request takes long, or an earlier one like it
   * did.
   */
  acquire(
    application: string,
    apiVersion: string,
    signal: AbortSignal,
    onSlow?: () => void,
  ): Promise<Release | undefined>;
}

/** A request that takes longer than this is slow: what it waits for does not respond. Milliseconds. */
const slowAfter = 3_000;
/** What the status says of it. */
export const slowMessage = `The API server takes more than ${slowAfter / 1_000} s to answer.`;
/** So many places are left to all that is slow. */
const mostSlow = 4;
const mostKnown = 1_000;

/** Which apiVersions of which applications were slow the last time. */
export type SlowRequests = Set<string>;

/**
 * A request that turns out to be slow gives its place back before it has ended, and those after it, of the same
 * application and apiVersion, get one of a few others, until one is answered soon: an API server behind an APIService, or
 * a webhook, that does not answer would otherwise hold all places for as long as a request may take.
 */
export function createRequestSemaphore(clock: Clock, most: number, slow: SlowRequests): RequestSemaphore {
  const usual = createSemaphore(most);
  const rest = createSemaphore(mostSlow);

  function timed(release: Release, key: string, wasSlow: boolean, onSlow: () => void): Release {
    let isSlow = false;
    const timer = clock.setTimeout(() => {
      isSlow = true;
      remember(slow, key);
      if (wasSlow) return;
      release();
      onSlow();
    }, slowAfter);
    return () => {
      clock.clearTimeout(timer);
      if (!isSlow) slow.delete(key);
      release();
    };
  }

  return {
    acquire(application, apiVersion, signal, onSlow = () => undefined) {
      const key = `${application} ${apiVersion}`;
      const wasSlow = slow.has(key);
      if (wasSlow) onSlow();
      const granted = (wasSlow ? rest : usual).acquire(application, signal);
      return granted.then((release) => (release === undefined ? undefined : timed(release, key, wasSlow, onSlow)));
    },
    get active() {
      return usual.active + rest.active;
    },
    get waiting() {
      return usual.waiting + rest.waiting;
    },
  };
}

/** Bounded, so that nothing is kept of applications that are long gone. */
function remember(slow: SlowRequests, key: string): void {
  slow.add(key);
  for (const oldest of slow) {
    if (slow.size <= mostKnown) return;
    slow.delete(oldest);
  }
}
