import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { boundedDraft, type EventDraft } from '@weeder/kube-runtime/events';
import type { AnyActorRef } from 'xstate';
import type { Config } from '../config/config.ts';
import type { ReceiverConfig } from '../config/schema/notificationsSchema.ts';
import { createDelivery } from './delivery.ts';
import { createReceiver, type Receiver, type ReceiverCounts, type ReceiverOptions } from './receiver.ts';

/** Sends the occurrences of Kubernetes Events to the receivers of the config. */
interface Notifier {
  /** Returns immediately and never throws. */
  notify(occurrence: EventDraft): void;
  configure(config: Config): void;
  /** Sends what waits within a second, and ends; later occurrences are ignored. */
  close(): Promise<void>;
  actors(): Iterable<AnyActorRef>;
  /** By the name of the receiver; also of those that the config had before. */
  readonly counts: ReadonlyMap<string, ReceiverCounts>;
}

type NotifierOptions = Omit<ReceiverOptions, 'createDelivery' | 'random'> &
  Partial<Pick<ReceiverOptions, 'createDelivery' | 'random'>> & { readonly config: Config };

export function createNotifier({ config: first, ...given }: NotifierOptions): Notifier {
  const options = { createDelivery, random: Math.random, ...given };
  const { clock } = options.runtime;
  const receivers = new Map<string, Receiver>();
  const counts = new Map<string, ReceiverCounts>();
  const ending = new Set<Promise<void>>();
  let isClosed = false;

  function open(name: string, config: ReceiverConfig): void {
    const own = counts.get(name) ?? { sent: 0, waiting: 0, lost: { queueFull: 0, rejected: 0, stopped: 0 } };
    counts.set(name, own);
    receivers.set(name, createReceiver(name, config, own, options));
  }

  function end(name: string, receiver: Receiver): void {
    receivers.delete(name);
    const ended = receiver.close().finally(() => ending.delete(ended));
    ending.add(ended);
  }

  function configure({ notifications = {} }: Config): void {
    for (const [name, receiver] of receivers) if (notifications[name] === undefined) end(name, receiver);
    for (const [name, next] of Object.entries(notifications)) {
      const receiver = receivers.get(name);
      if (receiver === undefined) open(name, next);
      else if (!isDeepStrictEqual(receiver.config, next)) receiver.configure(next);
    }
  }

  configure(first);
  return {
    notify(draft) {
      if (isClosed || receivers.size === 0) return;
      const occurrence = boundedDraft(draft);
      if (occurrence === undefined) return;
      const notification = { id: randomUUID(), time: clock.now(), occurrence };
      for (const receiver of receivers.values()) if (takes(receiver.config, occurrence)) receiver.put(notification);
    },
    configure(config) {
      if (!isClosed) configure(config);
    },
    async close() {
      isClosed = true;
      for (const [name, receiver] of receivers) end(name, receiver);
      await Promise.all(ending);
    },
    *actors() {
      for (const receiver of receivers.values()) yield receiver.actor;
    },
    counts,
  };
}

function takes({ types, namespaces }: ReceiverConfig, { reason, type, regarding }: EventDraft): boolean {
  const isOfType = types === undefined || types.includes(reason) || types.includes(type);
  return isOfType && (namespaces === undefined || namespaces.includes(regarding.namespace));
}
