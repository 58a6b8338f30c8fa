import { roundedDuration, sleep } from '@weeder/kube-runtime/base';
import { type AnyActorRef, createActor } from 'xstate';
import { receiver } from '../../machines/process/receiver.ts';
import type { ActorRuntime } from '../actors/actorRuntime.ts';
import { effectLogic } from '../actors/effect.ts';
import { reasonOf } from '../actors/failedEffect.ts';
import type { Logger } from '../base/log.ts';
import type { ReceiverConfig } from '../config/schema/notificationsSchema.ts';
import type { CreateDelivery } from './delivery.ts';
import { formats, type Notification } from './formats.ts';

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
  /** Returns immediately. If the queue is full, its oldest notification is lost. */
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

const maxWaiting = 5_000;
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
  const queue: Notification[] = [];
  const problems = createProblemLog(name, log);
  let config = first;
  let delivery = createDelivery(name, config, clock);
  /** How many of the first in the queue are being sent. */
  let inFlight = 0;

  function lose(cause: keyof ReceiverCounts['lost'], count: number): void {
    counts.lost[cause] += count;
    problems.lost += count;
  }

  function remove(from: number, count: number): void {
    queue.splice(from, count);
    counts.waiting = queue.length;
  }

  async function awaitTurn(signal: AbortSignal) {
    const until = clock.monotonic() + patience;
    while (!signal.aborted && mustWait() && clock.monotonic() < until) await sleep(clock, recheckAfter);
    return { type: 'turn.granted' };
  }

  async function deliver(signal: AbortSignal) {
    inFlight = Math.min(queue.length, formats[config.format].most);
    const used = delivery;
    const answer = await used.send(queue.slice(0, inFlight), signal);
    if (used !== delivery) void used.close();
    return () => {
      const settled = answer.type === 'delivery.failed' || signal.aborted ? 0 : inFlight;
      inFlight = 0;
      remove(0, settled);
      if (answer.type === 'delivery.accepted') counts.sent += settled;
      if (answer.type === 'delivery.rejected') lose('rejected', settled);
      return { ...answer, hasMore: queue.length > 0 };
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
        const left = queue.length;
        remove(0, left);
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
      queue.push(notification);
      counts.waiting = queue.length;
      if (queue.length > maxWaiting) {
        remove(inFlight, 1);
        lose('queueFull', 1);
        problems.queueIsFull();
      }
      if (queue.length === 1) actor.send({ type: 'notification.queued' });
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

/** Logs each kind of problem of a receiver once, until it has accepted notifications. */
function createProblemLog(receiver: string, log: Logger) {
  let known = '';
  let isFull = false;
  return {
    /** Since the receiver last accepted notifications. */
    lost: 0,
    occurred(message: string, cause: string, more: object = {}): void {
      const isKnown = known === message + cause;
      known = message + cause;
      log[isKnown ? 'debug' : 'warn']({ receiver, cause, ...more }, message);
    },
    queueIsFull(): void {
      if (!isFull) log.warn({ receiver }, 'notifications are lost: too many wait');
      isFull = true;
    },
    over(): void {
      if (known !== '' || isFull) log.info({ receiver, lost: this.lost }, 'notifications are sent again');
      known = '';
      isFull = false;
      this.lost = 0;
    },
  };
}
