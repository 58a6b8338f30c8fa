import { keyOf } from '@weeder/kube-runtime/objects';
import type { ControllerEvent } from '../controllers/controllers.ts';
import type { WindowRef } from '../weeder/deletions/weederEvents.ts';

/** The outcomes of the newest window of a service. Times are epoch milliseconds. */
export interface WindowCounter {
  readonly number: number;
  readonly openedAt: number;
  readonly closesAt: number;
  isOpen: boolean;
  deleted: number;
  skipped: number;
  failed: number;
}

/** The newest window of each service, computed from the events. */
export interface WindowCounters {
  note(event: ControllerEvent, now: number): void;
  of(key: string): WindowCounter | undefined;
  clear(): void;
}

/** The maximum number of services: those whose windows opened longest ago are dropped first. */
const max = 20_000;

export function createWindowCounters(): WindowCounters {
  const counters = new Map<string, WindowCounter>();

  function counterOf({ namespace, service, window }: WindowRef): WindowCounter | undefined {
    const tally = counters.get(keyOf(namespace, service));
    return tally?.number === window ? tally : undefined;
  }

  function count(event: WindowRef, what: 'deleted' | 'skipped' | 'failed') {
    const tally = counterOf(event);
    if (tally !== undefined) tally[what] += 1;
  }

  function open({ namespace, service, window }: WindowRef, now: number, duration: number): void {
    const key = keyOf(namespace, service);
    counters.delete(key);
    const times = { openedAt: now, closesAt: now + duration };
    counters.set(key, { number: window, ...times, isOpen: true, deleted: 0, skipped: 0, failed: 0 });
    if (counters.size <= max) return;
    for (const oldest of counters.keys()) {
      counters.delete(oldest);
      return;
    }
  }

  return {
    note(event, now) {
      if (event.type === 'window.opened') open(event, now, event.duration);
      else if (event.type === 'pod.deleted') count(event, 'deleted');
      else if (event.type === 'pod.skipped') count(event, 'skipped');
      else if (event.type === 'deletion.failed') count(event, 'failed');
      else if (event.type === 'window.closed') {
        const tally = counterOf(event);
        if (tally === undefined) return;
        const { deleted, skipped, failed } = event;
        Object.assign(tally, { isOpen: false, deleted, skipped, failed: failed.length });
      }
    },
    of: (key) => counters.get(key),
    clear: () => counters.clear(),
  };
}
