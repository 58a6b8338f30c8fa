import type { TimerHandle } from '../base/clock.ts';
import type { Config } from '../config/config.ts';
import type { Controller, ControllerContext } from '../controller/controller.ts';
import { onlyOwned, type Shard } from '../controller/shard.ts';
import { keyOf } from '../kube/objects/namespacedName.ts';
import type { StreamNeed } from '../kube/watch/streamNeed.ts';
import { createDeclaredDependencies } from './declaredDependencies.ts';
import { deleteThrough } from './deletions/deletePod.ts';
import { readLogThrough } from './deletions/readLog.ts';
import { type ReportWeeder, withoutLeadership } from './deletions/weederEvents.ts';
import type { ServiceDependants } from './dependants.ts';
import { logEvents, recordEvents } from './report/reportEvents.ts';
import { readySinceThrough } from './services/readySince.ts';
import { describeServices, isNeverReady } from './services/serviceStatus.ts';
import { createStreams } from './streams.ts';
import { createWeeder, type Weeder, type WeederCounts } from './weeder.ts';

export interface WeederControllerOptions extends ControllerContext {
  readonly concurrentDeletions: number;
  /** Called with every event, in addition to the log and the Events. */
  readonly report?: ReportWeeder | undefined;
  /** Creates the weeder and its streams so that all of their inputs and outputs are recorded. */
  readonly recorder?: RecordingFactories | undefined;
}

interface RecordingFactories {
  readonly createWeeder: typeof createWeeder;
  readonly createStreams: typeof createStreams;
}

/** The weeder as a controller of the process. */
export interface WeederController extends Controller, Pick<Weeder, 'crashLooping' | 'services'> {
  counts(): WeederCounts;
  /** The watched services with their dependants. */
  dependencies(): Iterable<ServiceDependants>;
}

/** How long a service that is deployed together with weeder may take to appear. Milliseconds. */
const reportedAfter = 30_000;

export function createWeederController(options: WeederControllerOptions): WeederController {
  const { config, runtime, client, logger, namespaces, shard, isDryRun, concurrentDeletions } = options;
  const { clock } = runtime;
  const create = options.recorder ?? { createWeeder, createStreams };
  const run = { isDryRun, now: clock.now };
  const log = logEvents(logger, run);
  const serviceUid = (namespace: string, service: string) => weeder.slices.serviceUid(namespace, service);
  const record = recordEvents({ record: options.recordEvent, serviceUid, ...run });
  const report: ReportWeeder = (reported) => {
    const event = options.isLeading() ? reported : withoutLeadership(reported);
    if (event === undefined) return;
    log(event);
    record(event);
    options.report?.(event);
  };
  const weeder = create.createWeeder({
    config,
    runtime,
    deletePod: deleteThrough(client),
    readLog: readLogThrough(client, clock, (unread) =>
      logger.warn(unread, 'the log of a crashed container cannot be read: its pod is deleted without it'),
    ),
    readySince: readySinceThrough(client, (unknown) =>
      logger.warn(unknown, 'a pod of a service cannot be read: the time when the service became ready is unknown'),
    ),
    report,
    concurrentDeletions,
    isDryRun,
    random: Math.random,
  });
  const declared = createDeclaredDependencies({
    clock,
    config,
    namespaces,
    shard,
    apply(next) {
      logger.info({ services: next.declared?.services.size }, 'declared services changed');
      configureAll(next);
    },
    isHandingOver: () => streams.isHandingOver,
    existing: existingServices,
    report,
  });
  const streams = create.createStreams({
    weeder,
    config,
    namespaces,
    wrap: (stream) => declared.wrap(ofShard(stream, shard)),
    onChanged: options.onStreamsChanged,
    onClosed(name) {
      declared.closed(name);
      options.onStreamClosed(name);
    },
  });

  function configureAll(next: Config): void {
    weeder.configure(next);
    streams.configure(next);
  }

  function existingServices(): ReadonlySet<string> | undefined {
    if (streams.state().some(({ kind, isSynced }) => kind === 'EndpointSlice' && !isSynced)) return undefined;
    return new Set(weeder.slices.services().map(({ namespace, service }) => keyOf(namespace, service)));
  }

  let reportTimer: TimerHandle | undefined;
  let lastReported = '';
  function reportNeverReadySoon(): void {
    clock.clearTimeout(reportTimer);
    reportTimer = clock.setTimeout(() => {
      const words = describeServices([...weeder.services()].filter(isNeverReady));
      if (words !== '' && words !== lastReported)
        logger.warn({ services: words }, 'services that have not been ready since weeder started');
      lastReported = words;
    }, reportedAfter);
  }

  return {
    name: 'weeder',
    isUrgent: true,
    needs: streams.needs,
    configure(next) {
      configureAll(declared.configure(next));
      reportNeverReadySoon();
    },
    start(without = []) {
      if (without.length > 0)
        logger.warn(
          { streams: without, ...weeder.counts() },
          'starting controller without streams that cannot be read yet',
        );
      else if (streams.needs.size > 0)
        logger.info({ streams: streams.needs.size, ...weeder.counts() }, 'caches synced, starting controller');
      weeder.start();
      declared.start();
      reportNeverReadySoon();
    },
    stop() {
      clock.clearTimeout(reportTimer);
      declared.stop();
      weeder.stop();
    },
    drained: () => weeder.drained(),
    work: () => weeder.counts(),
    actors: () => weeder.actors(),
    actorCounts: () => weeder.actorCounts(),
    counts: () => weeder.counts(),
    crashLooping: (namespace, service) => weeder.crashLooping(namespace, service),
    dependencies() {
      const workloads = declared.workloads();
      return weeder.dependencies((service) => workloads.get(service) ?? []);
    },
    services: () => weeder.services(),
  };
}

/**
 * The shard that owns the namespace of a service handles the service and its dependants, in whichever namespaces they
 * are.
 */
function ofShard(stream: StreamNeed, shard: Shard | undefined): StreamNeed {
  if (shard === undefined || stream.kind !== 'EndpointSlice') return stream;
  return { ...stream, sink: onlyOwned(stream.sink, shard) };
}
