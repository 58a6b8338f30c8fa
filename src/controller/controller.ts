import type { AnyActorRef } from 'xstate';
import type { ActorRuntime } from '../actors/actorRuntime.ts';
import type { Logger } from '../base/log.ts';
import type { Config } from '../config/config.ts';
import type { KubeClient } from '../kube/client/client.ts';
import type { EventDraft } from '../kube/events/event.ts';
import type { StreamNeed } from '../kube/watch/streamNeed.ts';
import type { Shard } from './shard.ts';

/**
 * One of the controllers of a process, such as the weeder. The process gives all of them one client, one clock, one
 * leadership; none knows of the others, and each acts as soon as its own streams are complete.
 */
export interface Controller {
  /** In sentences: `weeder`. */
  readonly name: string;
  /** The streams that have to be open now, by name. What is not needed is not here, and asks for no permission. */
  readonly needs: ReadonlyMap<string, StreamNeed>;
  /** This config is in force from now on. */
  configure(config: Config): void;
  /**
   * All of `needs` have been read, but for those `without` which it has to do: it acts from now on. Comes once, at the
   * latest when the streams of all parts are complete; streams that it comes to need later it has to wait for itself.
   */
  start(without?: readonly string[]): void;
  /** Begins nothing any more. Comes to one that was never started, too. */
  stop(): void;
  /** Resolves when nothing is in flight. */
  drained(): Promise<void>;
  work(): PendingWork;
  /** Its actors that have no parent. */
  actors(): Iterable<AnyActorRef>;
  /** How many actors are at work, by machine. */
  actorCounts(): Readonly<Record<string, number>>;
}

/** What a part is busy with: what waits for its turn, and the requests in flight. */
export interface PendingWork {
  readonly queued: number;
  readonly inFlight: number;
}

/** What the process gives each of its parts. */
export interface ControllerContext {
  readonly config: Config;
  readonly runtime: ActorRuntime;
  /** Changes the cluster only while this replica leads, and never in a dry run. */
  readonly client: KubeClient;
  readonly logger: Logger;
  /** Where to watch: everywhere, or in these namespaces only. */
  readonly namespaces: 'all' | readonly string[];
  /** The business of which namespaces is done here. Undefined: of all. */
  readonly shard: Shard | undefined;
  /** The cluster is not to be changed: `client` only says that it was. */
  readonly isDryRun: boolean;
  /** Whether pods are being deleted now, or wait for that: what may wait leaves the API server to them. */
  readonly isWeeding: () => boolean;
  /** Whether this replica may act: always, without leader election. */
  readonly isLeading: () => boolean;
  /** Writes a Kubernetes Event, or does nothing if Events are disabled or this replica does not lead. */
  readonly recordEvent: (occurrence: EventDraft) => void;
  /** Is called when `needs` has changed, but for the first time. */
  readonly onStreamsChanged: () => void;
  /** Is called for each stream of which nothing comes any more. */
  readonly onStreamClosed: (name: string) => void;
}

export type ControllerFactory = (context: ControllerContext) => Controller;

/** The streams of all parts by name. Throws when two parts call a stream by one name: that is a mistake of ours. */
export function streamsOf(parts: readonly Controller[]): Map<string, StreamNeed> {
  const streams = new Map<string, StreamNeed>();
  for (const part of parts) {
    for (const [name, need] of part.needs) {
      if (streams.has(name)) throw new Error(`${part.name} calls a stream "${name}", as another controller does`);
      streams.set(name, need);
    }
  }
  return streams;
}

/** What all of them are busy with. */
export function totalWork(parts: readonly Controller[]): PendingWork {
  const each = parts.map((part) => part.work());
  return {
    queued: each.reduce((sum, { queued }) => sum + queued, 0),
    inFlight: each.reduce((sum, { inFlight }) => sum + inFlight, 0),
  };
}

export function isBusy({ queued, inFlight }: PendingWork): boolean {
  return queued + inFlight > 0;
}
