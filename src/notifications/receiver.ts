import { roundedDuration, sleep } from '@weeder/kube-runtime/base';
import { type AnyActorRef, createActor } from 'xstate';
import { receiver } from '../../machines/process/receiver.ts';
import type { ActorRuntime } from '../actors/actorRuntime.ts';
import { effectLogic } from '../actors/effect.ts';
import { reasonOf } from '../actors/failedEffect.ts';
import type { Logger } from '../base/log.ts';
import type { ReceiverConfig } from '../config/schema/notificationsSchema.ts';
import { createBacklog } from './backlog.ts';
import type { CreateDelivery } from './delivery.ts';
import { formats, type Notification } from './formats.ts';
import { createProblemLog } from './problemLog.ts';

/** How many notifications of a receiver were sent and lost, and how many wait. */
export interface ReceiverCounts {
  sent: number;
  waiting: number;
  /** By cause. */
  readonly lost: { queueFull: number; rejected: number; stopped: number };
}

/** A receiver of notifications with its queue. */
export interface Receiver {
  readonly config: ReceiverConfig;
  readonly actor: AnyActorRef;
  /** Returns immediately. If too many wait, the oldest of the namespace that has the most are lost. */
  put(notification: Notification): void;
  configure(config: ReceiverConfig): void;
  /** Sends the rest within a second, and ends. */
  close(): Promise<void>;
}

export interface ReceiverOptions {
  readonly runtime: ActorRuntime;
  readonly log: Logger;
  /** While this returns true, deletions are pending and nothing is sent, for three seconds at most. */
  readonly mustWait: () => boolean;
  readonly createDelivery: CreateDelivery;
  /** Returns a number from 0 to 1, for jitter. */
  readonly random: () => number;
}

const recheckAfter = 100;
const patience = 3_000;

/** `counts` outlive the receiver: the config may name it again. */
export function createReceiver(
  name: string,
  first: ReceiverConfig,
  counts: ReceiverCounts,
  options: ReceiverOptions,
): Receiver {
  const { runtime, log, mustWait, createDelivery, random } = options;
  const { clock } = runtime;
  const queue = createBacklog();
  const problems = createProblemLog(name, log);
  let config = first;
  let delivery = createDelivery(name, config, clock);
  /** How many of the first in the queue are being sent. */
  let inFlight = 0;
  /** How many of the first go one by one: the receiver has rejected them together. */
  let single = 0;

  function lose(cause: keyof ReceiverCounts['lost'], count: number): void {
    counts.lost[cause] += count;
    problems.lost += count;
  }

  function remove(count: number): void {
    queue.remove(count);
    single = Math.max(0, single - count);
    counts.waiting = queue.size;
  }

  async function awaitTurn(signal: AbortSignal) {
    const until = clock.monotonic() + patience;
    while (!signal.aborted && mustWait() && clock.monotonic() < until) await sleep(clock, recheckAfter);
    return { type: 'turn.granted' };
  }

  async function deliver(signal: AbortSignal) {
    inFlight = Math.min(queue.size, single > 0 ? 1 : formats[config.format].most);
    const used = delivery;
    const answer = await used.send(queue.first(inFlight), signal);
    if (used !== delivery) void used.close();
    return () => {
      const sent = inFlight;
      inFlight = 0;
      if (answer.type === 'delivery.rejected' && sent > 1 && !signal.aborted) {
        single = sent;
        return { type: 'delivery.divided' };
      }
      const settled = answer.type === 'delivery.failed' || signal.aborted ? 0 : sent;
      remove(settled);
      if (answer.type === 'delivery.accepted') counts.sent += settled;
      if (answer.type === 'delivery.rejected') lose('rejected', settled);
      return { ...answer, hasMore: queue.size > 0 };
    };
  }

  const logic = receiver.provide({
    actors: {
      awaitTurn: effectLogic({ failure: 'turn.granted', random, actorOf: () => name }, (_, signal) =>
        awaitTurn(signal),
      ),
      deliver: effectLogic({ failure: 'delivery.failed', random, actorOf: () => name }, (_, signal) => deliver(signal)),
    },
    actions: {
      reportAccepted: () => problems.over(),
      reportRejected: ({ event }) =>
        problems.occurred('the receiver rejects notifications: they are lost', reasonOf(event)),
      reportFailed: ({ context, event }) => {
        const retryIn = roundedDuration(context.retryIn);
        problems.occurred('notifications cannot be sent, and wait', reasonOf(event), { retryIn });
      },
      dropQueue: () => {
        const left = queue.size;
        remove(left);
        lose('stopped', left);
        if (left > 0)
          log.warn({ receiver: name, lost: left }, 'notifications are lost: they were not sent before the end');
      },
    },
  });
  const actor = createActor(logic, { ...runtime, id: `receiver ${name}`, input: { name } });
  const ended = new Promise<void>((resolve) => {
    const onError = (error: unknown) => {
      log.error({ err: error, receiver: name }, 'internal error: receiver failed');
      resolve();
    };
    actor.subscribe({ complete: resolve, error: onError });
  });
  actor.start();

  return {
    get config() {
      return config;
    },
    actor,
    put(notification) {
      const wasEmpty = queue.size === 0;
      const lost = queue.put(notification, inFlight);
      counts.waiting = queue.size;
      if (lost > 0) {
        lose('queueFull', lost);
        problems.queueIsFull();
      }
      if (wasEmpty) actor.send({ type: 'notification.queued' });
    },
    configure(next) {
      config = next;
      // A request in flight ends first.
      if (inFlight === 0) void delivery.close();
      delivery = createDelivery(name, config, clock);
      actor.send({ type: 'receiver.changed' });
    },
    async close() {
      actor.send({ type: 'receiver.closed' });
      await ended;
      await delivery.close();
    },
  };
}
