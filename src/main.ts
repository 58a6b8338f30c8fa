import { createActor, fromCallback, type InspectionEvent } from 'xstate';
import { manager } from '../machines/manager.ts';
import type { Clock } from './clock.ts';
import type { Config } from './config/config.ts';
import type { Result } from './errors.ts';
import type { ReportProcess } from './facts.ts';
import type { KubeClient } from './kube/client.ts';
import { createEventRecorder } from './kube/events.ts';
import { provideReflector } from './kube/reflector.ts';
import type { Logger } from './log.ts';
import type { Recorder } from './recorder.ts';
import { type ConfigStatus, createReload } from './reload.ts';
import { onlyOwned, type Shard } from './shard.ts';
import { deleteThrough } from './weeder/deletePod.ts';
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
  /** Told of what concerns the process as a whole, beside the log. */
  readonly reportProcess?: ReportProcess;
  /** Takes down what reaches the weeder and what it decides. */
  readonly recorder?: Recorder;
  readonly inspect?: (event: InspectionEvent) => void;
}

export type ControllerState = 'electing' | 'syncing' | 'running' | 'draining' | 'stopped';

/** Weeder at work. */
export interface Controller {
  state(): ControllerState;
  counts(): WeederCounts;
  /** Which config is in force, and what became of the newest content of its file. */
  config(): ConfigStatus;
  /** Takes a new content of the config file: it is in force at once, or rejected while the one before stays. */
  reload(content: Result<Config>): void;
  /** Begins no deletion any more, lets those in flight end, and stops. */
  shutdown(): void;
  /** Resolves when everything has ended. */
  readonly stopped: Promise<void>;
}

/** Wires the machines to the cluster and starts them. */
export function startController(options: ControllerOptions): Controller {
  const { config, client, clock, logger, namespaces, isDryRun, concurrentDeletions, inspect, recorder, shard } =
    options;
  const runtime = { clock, ...(inspect === undefined ? {} : { inspect }) };
  const log = logFacts(logger);
  const events = options.eventInstance === undefined ? undefined : createEvents(options.eventInstance);
  const create = recorder?.createWeeder ?? createWeeder;
  const weeder = create({
    config,
    runtime,
    deletePod: deleteThrough(client),
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
  const streams = createStreams({
    weeder,
    config,
    namespaces,
    wrap: (stream) => ofShard(recorder?.stream(stream) ?? stream, shard),
    onChanged: () => actor.send({ type: 'streams.changed', streams: names() }),
  });
  const names = () => [...streams.needs.keys()];
  const reload = createReload({
    clock,
    logger,
    report: (fact) => options.reportProcess?.(fact),
    apply(next) {
      const change = weeder.configure(next);
      streams.configure(next);
      return change;
    },
  });

  function createEvents(instance: string) {
    const isDeleting = () => weeder.counts().queued + weeder.counts().inFlight > 0;
    const source = { controller: 'weeder.dev/weeder', instance };
    const { record, close } = createEventRecorder({ client, clock, log: logger, source, isHeldBack: isDeleting });
    const serviceUid = (namespace: string, service: string) => weeder.slices.serviceUid(namespace, service);
    return { tell: tellEvents({ record, serviceUid, isDryRun, clock }), close };
  }

  const logic = manager.provide({
    actors: {
      // One replica leads; the Lease machine takes this place when leader election is on.
      leadership: fromCallback(({ sendBack }) => sendBack({ type: 'leadership.acquired' })),
      reflector: provideReflector({ client, clock, log: logger, sourceOf: (name) => streams.needs.get(name) }),
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
      reportReflectorFailed: ({ event }) => logger.error({ event }, 'a stream broke and is started again'),
      reportLeadershipLost: () => logger.error('leadership is lost'),
      reportDrainOverdue: () =>
        logger.warn({ inFlight: weeder.counts().inFlight }, 'stopping with deletions in flight'),
    },
  });

  const actor = createActor(logic, { ...runtime, id: 'manager', input: { streams: names() } });
  const ended = new Promise<void>((resolve) => {
    actor.subscribe({
      complete: resolve,
      error: (error) => {
        logger.error({ err: error }, 'the manager broke');
        resolve();
      },
    });
  });
  actor.start();
  const state = () => actor.getSnapshot().value;
  return {
    state,
    counts: () => weeder.counts(),
    config: () => reload.status(),
    reload(content) {
      // What is on its way out does not change its ways.
      if (state() !== 'draining' && state() !== 'stopped') reload.take(content);
    },
    shutdown: () => actor.send({ type: 'shutdown.requested' }),
    stopped: ended.then(() => events?.close()),
  };
}

/** A service is the business of the shard that owns its namespace, and so are its dependants, wherever they live. */
function ofShard(stream: StreamNeed, shard: Shard | undefined): StreamNeed {
  if (shard === undefined || stream.kind !== 'EndpointSlice') return stream;
  return { ...stream, sink: onlyOwned(stream.sink, shard) };
}
