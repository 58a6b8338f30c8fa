import type { KubeClient } from '@weeder/kube-runtime/client';
import type { EventDraft } from '@weeder/kube-runtime/events';
import type { StreamNeed } from '@weeder/kube-runtime/watch';
import type { AnyActorRef } from 'xstate';
import type { ActorRuntime } from '../actors/actorRuntime.ts';
import type { Logger } from '../base/log.ts';
import type { Config } from '../config/config.ts';
import type { OwnedNamespaces } from './ownedNamespaces.ts';

/**
 * One of the controllers of a process, such as the weeder. All of them share one client, one clock and one leadership.
 * They are independent of each other, and each acts as soon as its own streams are complete.
 */
export interface Controller<Shown = unknown> {
  /** The name in log lines and messages: `weeder`. */
  readonly name: string;
  /** Its work precedes that of the other controllers. */
  readonly isUrgent?: boolean;
  /** The streams that have to be open now, by name. Streams that are not needed are left out: they need permissions. */
  readonly needs: ReadonlyMap<string, StreamNeed>;
  /** Applies this config from now on. */
  configure(config: Config): void;
  /**
   * The controller acts from now on: all of `needs` have been read, except for the streams in `without`. Called once,
   * at the latest when the streams of all controllers are complete. For streams that it needs later, the controller
   * itself waits.
   */
  start(without?: readonly string[]): void;
  /** Begins no more work. Also called if the controller was never started. */
  stop(): void;
  /** Resolves when no request is in flight. */
  drained(): Promise<void>;
  work(): PendingWork;
  /** Its root actors. */
  actors(): Iterable<AnyActorRef>;
  /** The number of active actors, by machine. */
  actorCounts(): Readonly<Record<string, number>>;
  /** What the live page and the metrics show of it. Undefined: the config has never had its section. */
  shown(): Shown | undefined;
}

/** The pending work of a controller: items in its queues, and requests in flight. */
export interface PendingWork {
  readonly queued: number;
  readonly inFlight: number;
}

/** The dependencies that the process passes to each controller. */
export interface ControllerContext {
  readonly config: Config;
  readonly runtime: ActorRuntime;
  /** Sends writes only while this replica leads, and never in a dry run. */
  readonly client: KubeClient;
  readonly logger: Logger;
  /** The watched namespaces. */
  readonly namespaces: 'all' | readonly string[];
  /** The namespaces for which this replica acts. Undefined: all. */
  readonly owned: OwnedNamespaces | undefined;
  /** The cluster must not be changed: `client` answers writes as if they had been accepted. */
  readonly isDryRun: boolean;
  /** Whether an urgent controller has pending work: the requests of the others wait for it. */
  readonly hasUrgentWork: () => boolean;
  /** Whether this replica may act. Without leader election it always may. */
  readonly isLeading: () => boolean;
  /** Records a Kubernetes Event; does nothing if Events are disabled or this replica does not lead. */
  readonly recordEvent: (occurrence: EventDraft) => void;
  /** Called when `needs` has changed, except for the first time. */
  readonly onStreamsChanged: () => void;
  /** Called for each stream that was closed permanently. */
  readonly onStreamClosed: (name: string) => void;
}

/** The controllers of a process, by a name for the code that uses them. */
export type Controllers = Readonly<Record<string, Controller>>;

/** Returns the streams of all controllers by name. Throws if two have the same name, which is a bug in weeder. */
export function streamsOf(controllers: readonly Controller[]): Map<string, StreamNeed> {
  const streams = new Map<string, StreamNeed>();
  for (const controller of controllers) {
    for (const [name, need] of controller.needs) {
      if (streams.has(name)) throw new Error(`${controller.name} names a stream "${name}", as another controller does`);
      streams.set(name, need);
    }
  }
  return streams;
}

/** Returns the pending work of all controllers. */
export function totalWork(controllers: readonly Controller[]): PendingWork {
  const work = controllers.map((controller) => controller.work());
  return {
    queued: work.reduce((sum, { queued }) => sum + queued, 0),
    inFlight: work.reduce((sum, { inFlight }) => sum + inFlight, 0),
  };
}

export function isBusy({ queued, inFlight }: PendingWork): boolean {
  return queued + inFlight > 0;
}
