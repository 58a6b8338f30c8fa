import type { Clock } from '@weeder/kube-runtime/base';
import { messageOf } from '@weeder/kube-runtime/base';
import type { KubeClient } from '@weeder/kube-runtime/client';
import { dryRunClient, leaderGate } from '@weeder/kube-runtime/client';
import type { EventDraft } from '@weeder/kube-runtime/events';
import type { Election } from '@weeder/kube-runtime/lease';
import { logReleaseFailed } from '@weeder/kube-runtime/lease';
import type { StreamNeed } from '@weeder/kube-runtime/watch';
import { provideReflector, type StreamStatus, type StreamTotals } from '@weeder/kube-runtime/watch';
import { type AnyActorRef, createActor, fromCallback, type InspectionEvent } from 'xstate';
import { type ManagerEnd, manager } from '../../machines/process/manager.ts';
import { type ActorTimes, createActorTimes } from '../actors/actorTimes.ts';
import type { Logger } from '../base/log.ts';
import { notifyBoth } from '../base/notifyBoth.ts';
import type { Config } from '../config/config.ts';
import {
  type Controller,
  type ControllerContext,
  type Controllers,
  isBusy,
  streamsOf,
  totalWork,
} from '../controller/controller.ts';
import { createNamespaceOwner, type NamespaceSelection } from '../controller/ownedNamespaces.ts';
import type { Shard } from '../controller/shard.ts';
import type { ReceiverCounts } from '../notifications/receiver.ts';
import { createLeadership, type Leadership } from './leadership.ts';
import { createOccurrences } from './occurrences.ts';
import type { ReportProcess } from './processLog.ts';
import { createProcessStreams } from './processStreams.ts';

export interface ManagerOptions<C extends Controllers = Controllers> {
  /** Creates all controllers of the process. */
  readonly create: (context: ControllerContext) => C;
  readonly config: Config;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The namespaces to watch. */
  readonly namespaces: 'all' | readonly string[];
  /** The shard whose namespaces' services and workloads are handled; undefined: those of all namespaces. */
  readonly shard?: Shard;
  /** Which of the watched namespaces are handled; undefined: all. */
  readonly selection?: NamespaceSelection;
  readonly isDryRun: boolean;
  /** The pod or host in whose name Kubernetes Events are recorded. Default: no Events are recorded. */
  readonly eventInstance?: string;
  /** Called with every event about the process, in addition to the log. */
  readonly reportProcess?: ReportProcess;
  /** The Lease that this replica must hold to act; undefined: it is the only replica, and always acts. */
  readonly election?: Election;
  readonly inspect?: (event: InspectionEvent) => void;
}

/** The state of the manager machine, or `broken` if a bug in weeder ended it. */
export type ManagerState = 'electing' | 'syncing' | 'running' | 'draining' | 'releasing' | 'stopped' | 'broken';

/** Runs the controllers. It knows how long each actor has been in its state, and when its timers started. */
export interface Manager<C = Controllers>
  extends Pick<ActorTimes, 'since' | 'startedAt'>,
    Pick<ManagerOptions, 'client' | 'namespaces'> {
  readonly controllers: C;
  state(): ManagerState;
  /** Puts this config into force. A controller that is stopping ignores it. */
  configure(config: Config): void;
  /** The number of running actors, by machine. */
  actorCounts(): Readonly<Record<string, number>>;
  /** The status of every stream that was started. */
  streams(): StreamStatus[];
  /** The totals of the streams so far, by resource. */
  streamTotals(): ReadonlyMap<string, StreamTotals>;
  /** The root actors: the manager, and those of the controllers. */
  actors(): Iterable<AnyActorRef>;
  /** Whether a controller has a write in progress. */
  isBusy(): boolean;
  /** Whether pods are being deleted, for which everything else waits. */
  hasUrgentWork(): boolean;
  /** Undefined without leader election. */
  leadership(): Leadership | undefined;
  /** Whether this replica acts. Without leader election that is always so until it has stopped. */
  isLeader(): boolean;
  /** How many Kubernetes Events wait to be written. */
  eventsWaiting(): number;
  /** How many Events were not written, by cause. Undefined: no Events are recorded. */
  eventLosses(): Readonly<Record<string, number>> | undefined;
  /** Of each receiver of notifications by its name, how many it was sent. */
  notifications(): ReadonlyMap<string, ReceiverCounts>;
  /** Notifies of what the process itself has recorded as an Event, if this replica leads. */
  notify(occurrence: EventDraft): void;
  /** Starts nothing more, waits for the requests in flight, releases the Lease, and stops. */
  shutdown(): void;
  /** Resolves when everything has ended. After `leadershipLost`, a new manager takes its place as a standby. */
  readonly stopped: Promise<ManagerEnd>;
}

export function startManager<C extends Controllers>(options: ManagerOptions<C>): Manager<C> {
  const { config, client, clock, logger, namespaces, isDryRun, inspect } = options;
  let current = config;
  const times = createActorTimes(clock);
  const runtime = { clock, inspect: inspect === undefined ? times.inspect : notifyBoth(times.inspect, inspect) };
  const leadership = createLeadership(options);
  const owned = ownerOf(options, {
    onKnown() {
      logSelected();
      notifyStreams();
    },
    onChanged(streams) {
      logSelected();
      listAgain(streams);
    },
  });
  const logSelected = () => logger.info({ namespaces: owned?.selected }, 'selected namespaces');
  const isLeading = () => leadership.isValid() && !leadership.signal.aborted;
  const work = () => totalWork(controllerList);
  const isSyncing = () => actor.getSnapshot().value === 'syncing';
  const streams = createProcessStreams({ clock, needs: needsNow, isSyncing, onChanged: notifyStreams });
  const occurrences = createOccurrences({
    ...{ config, runtime, client, logger, isLeading },
    eventInstance: options.eventInstance,
    mustWait: () => isBusy(work()),
  });
  const context: ControllerContext = {
    config,
    runtime,
    client: leaderGate(leadership, isDryRun ? dryRunClient(client) : client),
    logger,
    namespaces,
    owned,
    isDryRun,
    hasUrgentWork,
    isLeading,
    recordEvent: occurrences.record,
    onStreamsChanged: notifyStreams,
    onStreamClosed: streams.forget,
  };
  const controllers = options.create(context);
  const controllerList: readonly Controller[] = Object.values(controllers);

  function hasUrgentWork(): boolean {
    return controllerList.some((each) => each.isUrgent === true && isBusy(each.work()));
  }

  function notifyStreams(): void {
    actor.send({ type: 'streams.changed', streams: streams.names(), optional: streams.notAwaited() });
  }

  /** Before the namespaces are known, nothing else is read: their objects could not be distinguished. */
  function needsNow(): ReadonlyMap<string, StreamNeed> {
    if (owned === undefined) return streamsOf(controllerList);
    return owned.isKnown ? new Map([...owned.needs, ...streamsOf(controllerList)]) : owned.needs;
  }

  /** Reads these streams again from a complete list. */
  function listAgain(obsolete: ReadonlySet<string>): void {
    const isOther = ({ name }: StreamNeed) => !obsolete.has(name);
    const optional = streams.notAwaited();
    actor.send({ type: 'streams.changed', streams: streams.names(isOther), optional });
    actor.send({ type: 'streams.changed', streams: streams.names(), optional });
    for (const controller of controllerList) controller.configure(current);
  }

  const notStarted = new Set<Controller>(controllerList);
  /** Starts the controllers that wait for none of these streams. */
  function startUnlessWaiting(unsynced: readonly string[]): void {
    if (owned?.isKnown === false) return;
    for (const controller of [...notStarted].filter(({ needs }) => !unsynced.some((name) => needs.has(name)))) {
      notStarted.delete(controller);
      controller.start([...controller.needs.keys()].filter(streams.isUnavailable));
    }
  }

  const logic = manager.provide({
    actors: {
      leadership: leadership.logic,
      reflector: provideReflector({
        client,
        clock,
        log: logger,
        statuses: streams.statuses,
        sourceOf: (name) => needsNow().get(name),
      }),
      drain: fromCallback(({ sendBack }) => {
        const drained = Promise.all(controllerList.map((each) => each.drained()));
        drained.then(() => sendBack({ type: 'requests.drained' }), logger.error.bind(logger));
      }),
    },
    actions: {
      startSynced: ({ context: { unsynced } }) => startUnlessWaiting(unsynced),
      stopControllers: () => {
        streams.stop();
        owned?.stop();
        for (const controller of controllerList) controller.stop();
      },
      dropRequests: () => leadership.drop(),
      reportReflectorFailed: ({ event }) => logger.error({ event }, 'internal error: stream failed, restarting'),
      reportLeadershipLost: ({ event }) => {
        if ('error' in event) logger.error({ err: event.error }, 'internal error: leader election failed');
      },
      reportDrainOverdue: () => logger.warn({ inFlight: work().inFlight }, 'stopping with requests in flight'),
      reportReleaseOverdue: ({ event }) => {
        const cause = 'error' in event ? messageOf(event.error) : 'the API server has not answered in time';
        if (options.election !== undefined) logReleaseFailed(logger, options.election, cause);
      },
    },
  });

  const input = { streams: streams.names(), optional: streams.notAwaited(), election: options.election };
  const actor = createActor(logic, { ...runtime, id: 'manager', input });
  const ended = new Promise<ManagerEnd>((resolve) => {
    actor.subscribe({
      // Events are written while the Lease is released, because the time for both is short.
      next: ({ value }) => value === 'releasing' && occurrences.close(),
      complete: () => resolve(actor.getSnapshot().output ?? 'shutdown'),
      error: (error) => {
        logger.error({ err: error }, 'internal error: manager failed');
        resolve('broken');
      },
    });
  });
  actor.start();
  const isOver = () => actor.getSnapshot().status !== 'active';
  const leadershipState = () => leadership.state(actor.getSnapshot().children['leadership']);
  const state = () => (actor.getSnapshot().status === 'error' ? 'broken' : actor.getSnapshot().value);
  return {
    controllers,
    client,
    namespaces,
    state,
    configure(next) {
      if (!canChange.has(state())) return;
      current = next;
      occurrences.configure(next);
      for (const controller of controllerList) controller.configure(next);
    },
    actorCounts() {
      const isAtWork = !isOver();
      return {
        manager: isAtWork ? 1 : 0,
        lease: isAtWork && options.election !== undefined ? 1 : 0,
        reflector: isAtWork ? streams.all().length : 0,
        receiver: [...occurrences.actors()].length,
        ...Object.assign({}, ...controllerList.map((each) => each.actorCounts())),
      };
    },
    streams: streams.all,
    streamTotals: streams.totals,
    *actors() {
      yield actor;
      yield* occurrences.actors();
      for (const controller of controllerList) yield* controller.actors();
    },
    since: times.since,
    startedAt: times.startedAt,
    isBusy: () => isBusy(work()),
    hasUrgentWork,
    leadership: leadershipState,
    isLeader: () => !isOver() && (leadershipState()?.state ?? 'leading') === 'leading',
    eventsWaiting: occurrences.waiting,
    eventLosses: occurrences.losses,
    notifications: occurrences.notifications,
    notify: occurrences.notify,
    shutdown: () => actor.send({ type: 'shutdown.requested' }),
    stopped: ended.then(async (how) => {
      await occurrences.close();
      return how;
    }),
  };
}

/** The states in which a controller accepts a new config: not while it is stopping. */
const canChange: ReadonlySet<ManagerState> = new Set(['electing', 'syncing', 'running']);

/** Undefined: all namespaces are handled. */
function ownerOf(
  { clock, shard, selection }: ManagerOptions,
  on: Pick<Parameters<typeof createNamespaceOwner>[0], 'onKnown' | 'onChanged'>,
) {
  if (shard === undefined && selection === undefined) return undefined;
  return createNamespaceOwner({ clock, shard, selection, ...on });
}
