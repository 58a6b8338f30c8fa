import type { KubeClient } from '@weeder/kube-runtime/client';
import { createEventRecorder, type EventDraft } from '@weeder/kube-runtime/events';
import type { AnyActorRef } from 'xstate';
import type { ActorRuntime } from '../actors/actorRuntime.ts';
import type { Logger } from '../base/log.ts';
import type { Config } from '../config/config.ts';
import { createNotifier } from '../notifications/notifier.ts';
import type { ReceiverCounts } from '../notifications/receiver.ts';

interface OccurrencesOptions {
  readonly config: Config;
  readonly runtime: ActorRuntime;
  readonly client: KubeClient;
  readonly logger: Logger;
  /** The pod or host in whose name Kubernetes Events are recorded; undefined: none are. */
  readonly eventInstance: string | undefined;
  /** Whether this replica leads: occurrences of others are not recorded. */
  readonly isLeading: () => boolean;
  /** Whether a controller has a write in progress, for which Events and notifications wait. */
  readonly mustWait: () => boolean;
}

interface Occurrences {
  /** As a Kubernetes Event and as notifications. */
  record(occurrence: EventDraft): void;
  /** As notifications only. */
  notify(occurrence: EventDraft): void;
  configure(config: Config): void;
  /** How many Kubernetes Events wait to be written. */
  waiting(): number;
  /** How many Events were not written, by cause. Undefined: no Events are recorded. */
  losses(): Readonly<Record<string, number>> | undefined;
  /** Of each receiver of notifications by its name, how many it was sent. */
  notifications(): ReadonlyMap<string, ReceiverCounts>;
  actors(): Iterable<AnyActorRef>;
  /** Resolves when everything has been written, or the time for that is over. */
  close(): Promise<unknown>;
}

/** What happened, for people: Kubernetes Events and notifications. Neither is ever in the way of a write. */
export function createOccurrences(options: OccurrencesOptions): Occurrences {
  const { config, runtime, client, logger: log, eventInstance, isLeading, mustWait } = options;
  const events = eventInstance === undefined ? undefined : createEvents(eventInstance);
  const notifier = createNotifier({ config, runtime, log, mustWait });
  let closing: Promise<unknown> | undefined;

  function createEvents(instance: string) {
    const source = { controller: 'weeder.dev/weeder', instance };
    return createEventRecorder({ client, clock: runtime.clock, log, source, mustWait });
  }

  return {
    record(occurrence) {
      if (!isLeading()) return;
      events?.record(occurrence);
      notifier.notify(occurrence);
    },
    notify: (occurrence) => void (isLeading() && notifier.notify(occurrence)),
    configure: notifier.configure,
    waiting: () => events?.waiting ?? 0,
    losses: () => events?.lost,
    notifications: () => notifier.counts,
    actors: notifier.actors,
    close() {
      closing ??= Promise.all([events?.close(), notifier.close()]);
      return closing;
    },
  };
}
