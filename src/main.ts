import { type AnyActorRef, createActor, fromCallback, type InspectionEvent } from 'xstate';
import { manager } from '../machines/manager.ts';
import { type ActorTimes, createActorTimes } from './actorTimes.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config/config.ts';
import type { ReportProcess } from './facts.ts';
import type { KubeClient } from './kube/client.ts';
import { createEventRecorder } from './kube/events.ts';
import type { Election } from './kube/lease/election.ts';
import { provideReflector } from './kube/reflector.ts';
import { createStreamStatuses, type StreamStatus, type StreamTotals } from './kube/streamStatus.ts';
import { createLeadership, type Leadership } from './leadership.ts';
import type { Logger } from './log.ts';
import type { Recorder } from './recorder.ts';
import { onlyOwned, type Shard } from './shard.ts';
import { tellBoth } from './tellBoth.ts';
import { deleteThrough } from './weeder/deletePod.ts';
import { deleteWhileLeading } from './weeder/deleteWhileLeading.ts';
import type { Report } from './weeder/facts.ts';
import { logFacts } from './weeder/logFacts.ts';
import { readySinceThrough } from './weeder/readySince.ts';
import { createStreams, type StreamNeed } from './weeder/streams.ts';
import { tellEvents } from './weeder/tellEvents.ts';
import { createWeeder, type WeederCounts } from './weeder/weeder.ts';

export interface ControllerOptions {
  readonly config: Config;
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Where to watch: everywhere, or in these namespaces only. */
  readonly namespaces: 'all' | readonly string[];
  /** The services of which namespaces: of all, or of those that this shard owns. */
  readonly shard?: Shard;
  readonly concurrentDeletions: number;
  readonly isDryRun: boolean;
  /** Told of every fact, beside the log. */
  readonly report?: Report;
  /** Tells Kubernetes Events in the name of this pod or host. Default: tells none. */
  readonly eventInstance?: string;
  /** The same, for what is not about services and pods. */
  readonly reportProcess?: ReportProcess;
  /** Acts only while it holds this Lease; undefined: it is alone, and acts. */
  readonly election?: Election;
  /** Takes down what reaches the weeder and what it decides. */
  readonly recorder?: Recorder;
  readonly inspect?: (event: InspectionEvent) => void;
}

/** The manager's state, or that a mistake in weeder ended it. */
export type ControllerState = 'electing' | 'syncing' | 'running' | 'draining' | 'releasing' | 'stopped' | 'broken';

/** Why a controller stopped: it was told to, another one may lead, or it has a defect. */
export type ControllerEnd = 'shutdown' | 'leadershipLost' | 'broken';

/** Weeder at work. It knows since when each actor is in its state, and since when its timers run. */
export interface Controller extends Pick<ActorTimes, 'since' | 'startedAt'> {
  state(): ControllerState;
  counts(): WeederCounts;
  /** This config is in force from now on; what is on its way out does not change its ways. */
  configure(config: Config): void;
  /** How many actors are at work, by machine. */
  actorCounts(): Readonly<Record<string, number>>;
  /** How each stream fares that was begun. */
  streams(): StreamStatus[];
  /** What the streams did so far, by resource. */
  streamTotals(): ReadonlyMap<string, StreamTotals>;
  /** The actors that have no parent: the manager, and those of the weeder. */
  actors(): Iterable<AnyActorRef>;
  /** How many dependants of a service crash-loop now. */
  crashLooping(namespace: string, service: string): number;
  /** Undefined without leader election. */
  leadership(): Leadership | undefined;
  /** Whether this replica is the one that acts: always, without leader election, until it has stopped. */
  isLeader(): boolean;
  /** How many Kubernetes Events wait to be written. */
  eventsWaiting(): number;
  /** How many were not written, by cause. Undefined: none are told. */
  eventLosses(): Readonly<Record<string, number>> | undefined;
  /** Begins no deletion any more, lets those in flight end, gives the Lease back, and stops. */
  shutdown(): void;
  /** Resolves when everything has ended. After `leadershipLost` a new controller stands by in its place. */
  readonly stopped: Promise<ControllerEnd>;
}

/** Wires the machines to the cluster and starts them. */
export function startController(options: ControllerOptions): Controller {
  const { config, client, clock, logger, namespaces, isDryRun, concurrentDeletions, inspect, recorder, shard } =
    options;
  const times = createActorTimes(clock);
  const runtime = { clock, inspect: inspect === undefined ? times.inspect : tellBoth(times.inspect, inspect) };
  const log = logFacts(logger);
  const events = options.eventInstance === undefined ? undefined : createEvents(options.eventInstance);
  const leadership = createLeadership(options);
  const create = recorder?.createWeeder ?? createWeeder;
  const weeder = create({
    config,
    runtime,
    deletePod: deleteWhileLeading(leadership, deleteThrough(client)),
    readySince: readySinceThrough(client, (unknown) =>
      logger.warn(unknown, 'a pod behind a service cannot be read: since when the service is ready is not known'),
    ),
    report: (fact) => {
      log(fact);
      events?.tell(fact);
      options.report?.(fact);
    },
    concurrentDeletions,
    isDryRun,
    random: Math.random,
  });
  const statuses = createStreamStatuses(clock);
  const streams = (recorder?.createStreams ?? createStreams)({
    weeder,
    config,
    namespaces,
    wrap: (stream) => ofShard(stream, shard),
    onChanged: () => actor.send({ type: 'streams.changed', streams: names() }),
    onClosed: (name) => statuses.forget(name),
  });
  const names = () => [...streams.needs.keys()];

  function createEvents(instance: string) {
    const isDeleting = () => weeder.counts().queued + weeder.counts().inFlight > 0;
    const source = { controller: 'weeder.dev/weeder', instance };
    const recorder = createEventRecorder({ client, clock, log: logger, source, isHeldBack: isDeleting });
    const serviceUid = (namespace: string, service: string) => weeder.slices.serviceUid(namespace, service);
    return { recorder, tell: tellEvents({ record: recorder.record, serviceUid, isDryRun, clock }) };
  }

  let closing: Promise<void> | undefined;
  function closeEvents(): Promise<void> | undefined {
    closing ??= events?.recorder.close();
    return closing;
  }

  let end: ControllerEnd = 'shutdown';
  const logic = manager.provide({
    actors: {
      leadership: leadership.logic,
      reflector: provideReflector({
        client,
        clock,
        log: logger,
        statuses,
        sourceOf: (name) => streams.needs.get(name),
      }),
      drain: fromCallback(({ sendBack }) => {
        weeder.drained().then(() => sendBack({ type: 'deletions.drained' }), logger.error.bind(logger));
      }),
    },
    actions: {
      startWeeding: () => {
        logger.info({ streams: streams.needs.size, ...weeder.counts() }, 'all streams are synced, weeding');
        weeder.start();
      },
      stopWeeding: () => weeder.stop(),
      dropDeletions: () => leadership.drop(),
      reportReflectorFailed: ({ event }) => logger.error({ event }, 'a stream broke and is started again'),
      reportLeadershipLost: ({ event }) => {
        end = 'error' in event ? 'broken' : 'leadershipLost';
        if ('error' in event) logger.error({ err: event.error }, 'leader election broke');
      },
      reportDrainOverdue: () =>
        logger.warn({ inFlight: weeder.counts().inFlight }, 'stopping with deletions in flight'),
      reportReleaseOverdue: () => logger.warn('stopping although the Lease could not be given back'),
    },
  });

  const input = { streams: names(), election: options.election };
  const actor = createActor(logic, { ...runtime, id: 'manager', input });
  const ended = new Promise<ControllerEnd>((resolve) => {
    actor.subscribe({
      // The Events are written while the Lease is given back: both are short of time.
      next: ({ value }) => value === 'releasing' && closeEvents(),
      complete: () => resolve(end),
      error: (error) => {
        logger.error({ err: error }, 'the manager broke');
        resolve('broken');
      },
    });
  });
  actor.start();
  const isOver = () => actor.getSnapshot().status !== 'active';
  const standing = () => leadership.state(actor.getSnapshot().children['leadership']);
  const state = () => (actor.getSnapshot().status === 'error' ? 'broken' : actor.getSnapshot().value);
  return {
    state,
    counts: () => weeder.counts(),
    configure(next) {
      if (!canChange.has(state())) return;
      weeder.configure(next);
      streams.configure(next);
    },
    actorCounts() {
      const { endpoints, podDeletions } = weeder.counts();
      const isAtWork = !isOver();
      return {
        manager: isAtWork ? 1 : 0,
        lease: isAtWork && options.election !== undefined ? 1 : 0,
        reflector: isAtWork ? statuses.all().length : 0,
        endpoint: endpoints,
        dependants: weeder.dependants(),
        podDeletion: podDeletions,
      };
    },
    streams: () => statuses.all(),
    streamTotals: () => statuses.totals(),
    *actors() {
      yield actor;
      yield* weeder.actors();
    },
    since: times.since,
    startedAt: times.startedAt,
    crashLooping: (namespace, service) => weeder.crashLooping(namespace, service),
    leadership: standing,
    isLeader: () => !isOver() && (standing()?.state ?? 'leading') === 'leading',
    eventsWaiting: () => events?.recorder.waiting ?? 0,
    eventLosses: () => events?.recorder.lost,
    shutdown: () => actor.send({ type: 'shutdown.requested' }),
    stopped: ended.then(async (how) => {
      await closeEvents();
      return how;
    }),
  };
}

/** In which states a controller takes a new config: not on its way out. */
const canChange: ReadonlySet<ControllerState> = new Set(['electing', 'syncing', 'running']);

/** A service is the business of the shard that owns its namespace, and so are its dependants, wherever they live. */
function ofShard(stream: StreamNeed, shard: Shard | undefined): StreamNeed {
  if (shard === undefined || stream.kind !== 'EndpointSlice') return stream;
  return { ...stream, sink: onlyOwned(stream.sink, shard) };
}
