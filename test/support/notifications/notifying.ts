import type { EventDraft } from '@weeder/kube-runtime/events';
import { type VirtualClock, virtualClock } from '@weeder/kube-runtime/testing';
import { pino } from 'pino';
import type { Config } from '../../../src/config/config.ts';
import type { ReceiverConfig } from '../../../src/config/schema/notificationsSchema.ts';
import type { Answer, CreateDelivery } from '../../../src/notifications/delivery.ts';
import type { Notification } from '../../../src/notifications/formats.ts';
import { createNotifier } from '../../../src/notifications/notifier.ts';

export function receiverConfig(part: Partial<ReceiverConfig> = {}): ReceiverConfig {
  return { url: 'http://receiver.test/events', format: 'cloudevents-batch', source: 'weeder', ...part };
}

export function configWith(notifications: Readonly<Record<string, ReceiverConfig>>): Config {
  return { services: new Map(), restart: undefined, notifications };
}

export function occurrence(part: Partial<EventDraft> = {}, name = 'web-0', namespace = 'shop'): EventDraft {
  const regarding = { apiVersion: 'v1', kind: 'Pod', namespace, name, uid: `uid-of-${name}` };
  return { regarding, type: 'Normal', reason: 'PodDeleted', action: 'Delete', note: 'Deleted.', ...part };
}

interface Attempt {
  readonly at: number;
  readonly receiver: string;
  readonly config: ReceiverConfig;
  readonly notifications: readonly Notification[];
}

interface NotifyingOptions {
  readonly receivers?: Readonly<Record<string, ReceiverConfig>>;
  readonly mustWait?: () => boolean;
  /** The answer of a receiver; default: it accepts. */
  readonly answer?: (attempt: Attempt, signal: AbortSignal) => Answer | Promise<Answer>;
  readonly clock?: VirtualClock;
}

/** A notifier in simulated time; the test acts as the receivers. */
export function notifying(options: NotifyingOptions = {}) {
  const { receivers = { ops: receiverConfig() }, mustWait = () => false, answer, clock = virtualClock() } = options;
  const attempts: Attempt[] = [];
  const logged: Readonly<Record<string, unknown>>[] = [];
  const closed: string[] = [];
  const log = pino(
    { base: null, timestamp: false, formatters: { level: (level) => ({ level }) } },
    { write: (line: string) => void logged.push(JSON.parse(line)) },
  );
  const createDelivery: CreateDelivery = (receiver, config) => ({
    async send(notifications, signal) {
      const attempt = { at: clock.monotonic(), receiver, config, notifications };
      attempts.push(attempt);
      return answer?.(attempt, signal) ?? { type: 'delivery.accepted' };
    },
    close: async () => void closed.push(receiver),
  });
  const notifier = createNotifier({
    config: configWith(receivers),
    runtime: { clock },
    log,
    mustWait,
    createDelivery,
    random: () => 1,
  });
  return {
    clock,
    notifier,
    attempts,
    /** The names of the objects in each attempt. */
    names: () =>
      attempts.map(({ notifications }) => notifications.map(({ occurrence: { regarding } }) => regarding.name)),
    /** The log at info and above. */
    logged,
    /** The receivers that are closed. */
    closed,
    /** The state of a receiver's machine. */
    stateOf: (receiver: string) =>
      [...notifier.actors()].find(({ id }) => id === `receiver ${receiver}`)?.getSnapshot().value,
  };
}
