import type { Share } from './fairQueue.ts';
import { createLimitedQueue, type LimitedQueue, type Release } from './limitedQueue.ts';

/**
 * Limits concurrency. The namespaces of the waiters take turns, and within each its applications, so that many
 * applications or resources of one do not delay the others.
 */
export interface Semaphore extends Pick<LimitedQueue, 'active' | 'waiting'> {
  /**
   * Resolves with the function that releases the slot; undefined: `signal` was aborted. Each waiter listens on the
   * signal: on a signal that thousands share, adding a listener compares it with all others. `application`:
   * `namespace/name`.
   */
  acquire(application: string, signal: AbortSignal): Promise<Release | undefined>;
  /** The same, without a way to cancel. */
  acquireEventually(application: string): Promise<Release>;
}

/**
 * `max` slots for each namespace, and a few `more` for all of them together: a namespace whose requests are slow, for
 * example because of its own admission webhook, cannot take all slots.
 */
export function createSemaphore(max: number, more = Math.ceil(max / 4)): Semaphore {
  const queue = createLimitedQueue(() => ({ atOnce: max + more, perGroup: max }));
  return {
    acquire: (application, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve(undefined);
        const leave = queue.enter({
          share: shareOf(application),
          onGranted(release) {
            signal.removeEventListener('abort', onAbort);
            resolve(release);
          },
          onWaits: () => signal.addEventListener('abort', onAbort),
        });

        function onAbort(): void {
          leave();
          resolve(undefined);
        }
        return undefined;
      }),
    acquireEventually: (application) =>
      new Promise((resolve) => queue.enter({ share: shareOf(application), onGranted: resolve })),
    get active() {
      return queue.active;
    },
    get waiting() {
      return queue.waiting;
    },
  };
}

function shareOf(application: string): Share {
  const slash = application.indexOf('/');
  return { outer: application.slice(0, Math.max(0, slash)), inner: application.slice(slash + 1) };
}
