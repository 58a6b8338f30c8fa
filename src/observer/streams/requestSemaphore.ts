import type { Clock } from '@weeder/kube-runtime/base';
import type { Release } from '@weeder/kube-runtime/queue';
import { createSemaphore, type Semaphore } from '@weeder/kube-runtime/queue';

/** Limits concurrent requests. Slow requests do not hold up others. */
export interface RequestSemaphore extends Pick<Semaphore, 'active' | 'waiting'> {
  /**
   * Acquires a slot for a request of this application about an object of this apiVersion. Returns undefined if the
   * signal aborted the wait. `onSlow` is called when the caller should stop waiting: this request, or an earlier one
   * like it, takes long.
   */
  acquire(
    application: string,
    apiVersion: string,
    signal: AbortSignal,
    onSlow?: () => void,
  ): Promise<Release | undefined>;
}

/** A request that takes longer than this is slow: its server does not respond. Milliseconds. */
const slowAfter = 3_000;
/** The message in the status. */
export const slowMessage = `The API server takes more than ${slowAfter / 1_000} s to answer.`;
/** The number of slots for all slow requests. */
const maxSlowRequests = 4;
const maxKnown = 1_000;

/** The apiVersions of applications whose last request was slow. */
export type SlowRequests = Set<string>;

/**
 * A slow request gives its slot back before it ends. The next requests of the same application and apiVersion use one
 * of a few separate slots until one of them responds in time. Otherwise an API server behind an APIService or a webhook
 * that does not respond would hold all slots until the requests time out.
 */
export function createRequestSemaphore(clock: Clock, max: number, slow: SlowRequests): RequestSemaphore {
  const usual = createSemaphore(max);
  const rest = createSemaphore(maxSlowRequests);

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

/** The set is bounded, because applications are deleted. */
function remember(slow: SlowRequests, key: string): void {
  slow.add(key);
  for (const oldest of slow) {
    if (slow.size <= maxKnown) return;
    slow.delete(oldest);
  }
}
