import type { Clock, TimerHandle } from '../base/clock.ts';
import type { KubeClient } from '../client/client.ts';
import { describeFailure } from '../client/describeFailure.ts';
import type { ApiFailure } from '../client/failure.ts';
import type { ApiRequest } from '../client/request.ts';
import { createFairQueue } from '../queue/fairQueue.ts';
import { createTokenBucket } from '../queue/tokenBucket.ts';
import { sizeOf } from './bounds.ts';
import { type EventDraft, type EventSource, eventBody, eventsPath, type ObjectRef, seriesBody } from './event.ts';
import { consequenceOf, type Permissions } from './eventFailure.ts';
import type { EventLosses, LossCause } from './eventLosses.ts';
import type { Identify } from './identify.ts';

/** An Event, and which state of it the API server has. */
export interface EventState {
  readonly name: string;
  readonly occurrence: EventDraft;
  /** The first and the last occurrence, in epoch milliseconds. */
  readonly time: number;
  lastObserved: number;
  count: number;
  /** The `count` that the API server has; 0: it does not have the Event. */
  written: number;
  /** The number of failed attempts. */
  tries: number;
  /** The Event could not be written: its next occurrence becomes a new Event. */
  isLost: boolean;
}

/** Writes Events asynchronously, taking turns between the namespaces of their objects. */
interface EventSender {
  /**
   * Appends the Event to the queue unless it is already in it; its newest state is written. If the queue is full, the
   * newest Events of the namespace that has the most bytes are lost.
   */
  put(event: EventState): void;
  /** Writes the queue without further delay, and ends: after `ms` milliseconds the rest is lost. */
  flush(ms: number): Promise<void>;
  readonly waiting: number;
}

interface EventSenderOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly source: EventSource;
  readonly losses: EventLosses;
  readonly permissions: Permissions;
  readonly identify: Identify;
  /**
   * While this returns true, more important requests are in progress and no Event is sent, for three seconds at most.
   */
  readonly mustWait: () => boolean;
  readonly onWritten: (event: EventState) => void;
  /** Returns a number from 0 to 1, for jitter. */
  readonly random: () => number;
}

const maxWaiting = 5_000;
/** Those 5,000, as weeder usually writes them, have half of it; of the largest it has 2,000. */
const maxBytes = 4 << 20;
const concurrency = 2;
const concurrencyAtTheEnd = 16;
const burst = 200;
const perSecond = 100;
const maxAttempts = 8;
const recheckAfter = 100;
/** After an occurrence more are likely, and their actions have priority over their Events. Milliseconds. */
const calmAfter = 500;
/**
 * The maximum delay if occurrences or more important requests do not pause, because people wait for Events, too.
 * Milliseconds.
 */
const patience = 3_000;
const shortestPause = 1_000;
const longestPause = 60_000;

export function createEventSender(options: EventSenderOptions): EventSender {
  const { client, clock, source, losses, permissions, identify, mustWait, onWritten, random } = options;
  const queue = createFairQueue<EventState>({ weightOf: ({ occurrence }) => sizeOf(occurrence) });
  const bucket = createTokenBucket(burst, perSecond, clock);
  const stop = new AbortController();
  let active = 0;
  let failures = 0;
  let pausedUntil = 0;
  /** When the latest occurrence was, and since when the queue has waited. Monotonic milliseconds. */
  let busyAt = 0;
  let waitingSince = 0;
  let timer: TimerHandle | undefined;
  let onEmpty: (() => void) | undefined;

  function hasPlace(): boolean {
    return active < (onEmpty === undefined ? concurrency : concurrencyAtTheEnd);
  }

  function waitTime(): number {
    if (onEmpty !== undefined) return 0;
    const pause = pausedUntil - clock.monotonic();
    if (pause > 0) return pause;
    return calmIn() || bucket.waitFor(1);
  }

  function calmIn(): number {
    const now = clock.monotonic();
    const isBusy = mustWait();
    if (isBusy) busyAt = now;
    const rest = isBusy ? recheckAfter : busyAt + calmAfter - now;
    return Math.max(0, Math.min(rest, waitingSince + patience - now));
  }

  function arm(delay: number): void {
    timer ??= clock.setTimeout(sendDue, Math.max(1, delay));
  }

  function sendDue(): void {
    clock.clearTimeout(timer);
    timer = undefined;
    while (queue.size > 0) {
      if (!hasPlace()) return;
      const wait = waitTime();
      if (wait > 0) {
        arm(wait);
        return;
      }
      sendNext();
    }
    if (active === 0) onEmpty?.();
  }

  function sendNext(): void {
    const event = queue.next()?.item;
    if (event === undefined) return;
    if (permissions.mayTry(event.occurrence.regarding.namespace)) void send(event);
    else drop(event, 'forbidden');
  }

  async function send(event: EventState): Promise<void> {
    active += 1;
    bucket.take();
    const { regarding } = event.occurrence;
    const object = event.written === 0 ? await identify(regarding, stop.signal) : regarding;
    const { count } = event;
    const result = await client.call({
      ...requestOf(event, object, source),
      rank: 'last',
      onlyStatus: true,
      signal: stop.signal,
    });
    active -= 1;
    if (result.ok) recordWritten(event, count);
    else recordFailure(event, result.failure);
    sendDue();
  }

  function recordWritten(event: EventState, count: number): void {
    failures = 0;
    event.tries = 0;
    event.written = count;
    permissions.allowed(event.occurrence.regarding.namespace);
    onWritten(event);
  }

  function recordFailure(event: EventState, failure: ApiFailure): void {
    switch (consequenceOf(failure, event.written > 0)) {
      case 'exists':
        recordWritten(event, 1);
        break;
      case 'namespaceDeleted':
        event.isLost = true;
        break;
      case 'stopped':
        drop(event, 'stopped');
        break;
      case 'forbidden':
        permissions.refused(event.occurrence.regarding.namespace, describeFailure(failure, client.server));
        drop(event, 'forbidden');
        break;
      case 'expired':
        event.written = 0;
        retry(event, failure);
        break;
      case 'unreachable':
        pause(failure);
        retry(event, failure);
        break;
      case 'refused':
        drop(event, 'refused', describeFailure(failure, client.server));
        break;
    }
  }

  function retry(event: EventState, failure: ApiFailure): void {
    // Any other failure concerns only the connection or the server, not this Event.
    if (failure.type === 'unavailable') event.tries += 1;
    if (event.tries < maxAttempts && onEmpty === undefined) enqueue(event);
    else drop(event, 'refused', describeFailure(failure, client.server));
  }

  function pause({ retryAfterMs = 0 }: ApiFailure): void {
    const backOff = Math.min(longestPause, shortestPause * 2 ** failures) * (0.5 + random() / 2);
    failures += 1;
    pausedUntil = clock.monotonic() + Math.max(backOff, retryAfterMs);
  }

  function enqueue(event: EventState): void {
    queue.add({ outer: event.occurrence.regarding.namespace ?? '', inner: '' }, event);
  }

  function drop(event: EventState, cause: LossCause, why?: string): void {
    event.isLost = true;
    losses.lose(cause, why);
  }

  return {
    put(event) {
      if (queue.has(event)) return;
      busyAt = clock.monotonic();
      if (queue.size === 0) waitingSince = busyAt;
      enqueue(event);
      while (queue.size > maxWaiting || queue.weight > maxBytes) {
        const surplus = queue.newestOfLargest();
        if (surplus === undefined || !queue.delete(surplus)) break;
        drop(surplus, 'queueFull');
      }
      if (active === 0) arm(calmAfter);
    },
    async flush(ms) {
      const { promise, resolve } = Promise.withResolvers<void>();
      onEmpty = resolve;
      const limit = clock.setTimeout(() => {
        stop.abort();
        for (const event of [...queue]) if (queue.delete(event)) drop(event, 'stopped');
        if (active === 0) resolve();
      }, ms);
      sendDue();
      await promise;
      clock.clearTimeout(limit);
      stop.abort();
    },
    get waiting() {
      return queue.size;
    },
  };
}

function requestOf(event: EventState, regarding: ObjectRef, source: EventSource): ApiRequest {
  const { name, occurrence, time, written } = event;
  if (written === 0) {
    const body = eventBody(name, { ...occurrence, regarding }, source, time, event);
    return { method: 'POST', path: eventsPath(regarding.namespace), body };
  }
  return {
    method: 'PATCH',
    path: eventsPath(regarding.namespace, name),
    contentType: 'application/merge-patch+json',
    body: seriesBody(event),
  };
}
