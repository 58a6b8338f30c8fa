import { keyOf } from '@weeder/kube-runtime/objects';
import type { DeletionFailure } from '@weeder/live-page';
import { setNewest } from '../base/newest.ts';
import type { ControllerEvent } from '../controllers/controllers.ts';
import type { WeederEvent, WindowRef } from '../weeder/deletions/weederEvents.ts';

/** The outcomes of the newest window of a service. Times are epoch milliseconds. */
export interface WindowCounter {
  readonly number: number;
  readonly openedAt: number;
  readonly closesAt: number;
  /** The evidence, if it is not in the EndpointSlices. */
  readonly because: string | undefined;
  isOpen: boolean;
  deleted: number;
  retried: number;
  skipped: number;
  failed: number;
  failure: DeletionFailure | undefined;
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

  function count(event: WindowRef, what: 'deleted' | 'retried' | 'skipped' | 'failed') {
    const tally = counterOf(event);
    if (tally !== undefined) tally[what] += 1;
  }

  function recordFailure(event: Extract<WeederEvent, { type: 'deletion.refused' | 'deletion.failed' }>, at: number) {
    const tally = counterOf(event);
    const { pod, reason } = event;
    if (tally !== undefined) tally.failure = { pod: keyOf(pod.namespace, pod.name), reason, at };
  }

  /** The pod is gone: what was refused for it before no longer matters. */
  function forgetFailure(event: Extract<WeederEvent, { type: 'pod.deleted' | 'pod.recovered' | 'pod.removed' }>): void {
    const tally = counterOf(event);
    if (tally?.failure?.pod === keyOf(event.pod.namespace, event.pod.name)) tally.failure = undefined;
  }

  function open({ namespace, service, window, because }: WindowRef, now: number, duration: number): void {
    const key = keyOf(namespace, service);
    counters.delete(key);
    const times = { openedAt: now, closesAt: now + duration };
    const none = { deleted: 0, retried: 0, skipped: 0, failed: 0, failure: undefined };
    setNewest(counters, key, { number: window, ...times, because, isOpen: true, ...none }, max);
  }

  function close(event: Extract<WeederEvent, { type: 'window.closed' }>): void {
    const tally = counterOf(event);
    if (tally === undefined) return;
    const { deleted, retried = 0, skipped, failed } = event;
    Object.assign(tally, { isOpen: false, deleted, retried, skipped, failed: failed.length });
    if (failed.length === 0) tally.failure = undefined;
  }

  return {
    note(event, now) {
      switch (event.type) {
        case 'window.opened':
          return open(event, now, event.duration);
        case 'pod.deleted':
          count(event, 'deleted');
          return forgetFailure(event);
        case 'creation.retried':
          return count(event, 'retried');
        case 'pod.skipped':
          return count(event, 'skipped');
        case 'deletion.failed':
          count(event, 'failed');
          return recordFailure(event, now);
        case 'deletion.refused':
          return recordFailure(event, now);
        case 'pod.recovered':
        case 'pod.removed':
          return forgetFailure(event);
        case 'window.closed':
          return close(event);
      }
    },
    of: (key) => counters.get(key),
    clear: () => counters.clear(),
  };
}
