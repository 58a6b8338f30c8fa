import { putBounded } from '../base/bounded.ts';
import type { Clock, TimerHandle } from '../base/clock.ts';
import type { KubeClient } from '../client/client.ts';
import { createTokenBucket, type TokenBucket } from '../queue/tokenBucket.ts';
import { boundedDraft } from './bounds.ts';
import { createEventNames, type EventDraft, type EventSource, type ObjectRef } from './event.ts';
import { createPermissions } from './eventFailure.ts';
import { createEventLosses, type EventLog, type LossCause } from './eventLosses.ts';
import { createEventSender, type EventState } from './eventSender.ts';
import { identifyThrough } from './identify.ts';

/** Records Kubernetes Events (`events.k8s.io/v1`) on a best-effort basis, behind more important requests. */
interface EventRecorder {
  /**
   * Returns immediately and never throws. An occurrence that repeats soon becomes part of the series of the existing Event.
   */
  record(occurrence: EventDraft): void;
  /** Writes the remaining Events within a third of a second, and ends; later occurrences are ignored. */
  close(): Promise<void>;
  readonly waiting: number;
  /** How many Events were lost, by cause. */
  readonly lost: Readonly<Record<LossCause, number>>;
}

interface EventRecorderOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: EventLog;
  readonly source: EventSource;
  /**
   * While this returns true, more important requests are in progress and no Event is sent, for three seconds at most.
   * Default: never.
   */
  readonly mustWait?: () => boolean;
  /** Returns a number from 0 to 1, for jitter. */
  readonly random?: () => number;
}

/** A repetition after a longer time becomes a new Event. Milliseconds. */
const longestGap = 600_000;
/** The first repetition is written immediately, further ones together after this time. Milliseconds. */
const seriesEvery = 60_000;
/** The limit for different Events about one object: a burst, and a rate per second. */
const objectBurst = 20;
const objectPerSecond = 1 / 30;
/**
 * The same for all objects of a namespace: a recovery with a thousand pods has one or two Events for each. In the long
 * run a namespace has two of the hundred Events that are sent in a second.
 */
const namespaceBurst = 2_000;
const namespacePerSecond = 2;
const maxRemembered = 2_048;
const closeWithin = 300;

export function createEventRecorder(options: EventRecorderOptions): EventRecorder {
  const { client, clock, log, source, mustWait = () => false, random = Math.random } = options;
  const losses = createEventLosses(clock, log);
  const permissions = createPermissions(clock, log, 'Events may not be written; weeder continues without them');
  const identify = identifyThrough(client, clock, log);
  const nameOf = createEventNames();
  const eventStates = new Map<string, EventState>();
  const objects = new Map<string, TokenBucket>();
  const namespaces = new Map<string, TokenBucket>();
  const timers = new Map<EventState, TimerHandle>();
  let isClosed = false;
  const sender = createEventSender({
    client,
    clock,
    source,
    losses,
    permissions,
    identify,
    mustWait,
    random,
    onWritten,
  });

  /** The Event may have occurred again while the request was in flight. */
  function onWritten(event: EventState): void {
    if (event.count > event.written) writeSoon(event);
  }

  function writeSoon(event: EventState): void {
    if (event.written === 1) sender.put(event);
    else if (event.written > 1) writeLater(event);
  }

  function writeLater(event: EventState): void {
    if (isClosed) sender.put(event);
    if (isClosed || timers.has(event)) return;
    const write = () => {
      timers.delete(event);
      sender.put(event);
    };
    timers.set(event, clock.setTimeout(write, seriesEvery));
  }

  function mayTake(buckets: Map<string, TokenBucket>, key: string, burst: number, perSecond: number): boolean {
    const bucket = buckets.get(key) ?? createTokenBucket(burst, perSecond, clock);
    putBounded(buckets, key, bucket, maxRemembered);
    return bucket.take();
  }

  /** What speaks against one more Event about the object. */
  function limitOf(object: ObjectRef): LossCause | undefined {
    if (!mayTake(objects, objectKey(object), objectBurst, objectPerSecond)) return 'objectLimit';
    return mayTake(namespaces, object.namespace, namespaceBurst, namespacePerSecond) ? undefined : 'namespaceLimit';
  }

  return {
    record(draft) {
      if (isClosed) return;
      const occurrence = boundedDraft(draft);
      if (occurrence === undefined) {
        losses.lose('impossibleObject');
        return;
      }
      const now = clock.now();
      const key = eventKey(occurrence);
      const same = eventStates.get(key);
      if (same !== undefined && !same.isLost && now - same.lastObserved <= longestGap) {
        same.count += 1;
        same.lastObserved = now;
        putBounded(eventStates, key, same, maxRemembered);
        writeSoon(same);
        return;
      }
      const limit = limitOf(occurrence.regarding);
      if (limit !== undefined) {
        losses.lose(limit);
        return;
      }
      const name = nameOf(occurrence.regarding.name, now);
      const event = { name, occurrence, time: now, lastObserved: now, count: 1, written: 0, tries: 0, isLost: false };
      putBounded(eventStates, key, event, maxRemembered);
      sender.put(event);
    },
    async close() {
      isClosed = true;
      for (const [event, timer] of timers) {
        clock.clearTimeout(timer);
        sender.put(event);
      }
      timers.clear();
      await sender.flush(closeWithin);
      losses.report();
    },
    get waiting() {
      return sender.waiting;
    },
    lost: losses.counts,
  };
}

/**
 * Identifies Events that differ only in time. The note is part of the key, because the note of an Event is immutable.
 */
function eventKey({ regarding, type, reason, action, note }: EventDraft): string {
  return [objectKey(regarding), type, reason, action, note].join('\n');
}

function objectKey({ kind, namespace, name, uid }: ObjectRef): string {
  return [kind, namespace, name, uid].join('/');
}
