import type { ControllerPart, PartContext } from '../controllerPart.ts';
import type { StreamNeed } from '../kube/streamNeed.ts';
import { onlyOwned, type Shard } from '../shard.ts';
import { deleteThrough } from './deletePod.ts';
import type { Report } from './facts.ts';
import { logFacts } from './logFacts.ts';
import { readySinceThrough } from './readySince.ts';
import { createStreams } from './streams.ts';
import { tellEvents } from './tellEvents.ts';
import { createWeeder, type Weeder, type WeederCounts } from './weeder.ts';

export interface WeederPartOptions extends PartContext {
  readonly concurrentDeletions: number;
  /** Told of every fact, beside the log and the Events. */
  readonly report?: Report | undefined;
  /** Creates the weeder and its streams such that all that passes in and out of them is taken down. */
  readonly recorder?: Recording | undefined;
}

interface Recording {
  readonly createWeeder: typeof createWeeder;
  readonly createStreams: typeof createStreams;
}

/** The weeder as one of the controllers of the process. */
export interface WeederPart extends ControllerPart, Pick<Weeder, 'crashLooping'> {
  counts(): WeederCounts;
}

/** The weeder with its streams, its log and its Events. */
export function createWeederPart(options: WeederPartOptions): WeederPart {
  const { config, runtime, client, logger, namespaces, shard, isDryRun, concurrentDeletions } = options;
  const { clock } = runtime;
  const create = options.recorder ?? { createWeeder, createStreams };
  const log = logFacts(logger);
  const serviceUid = (namespace: string, service: string) => weeder.slices.serviceUid(namespace, service);
  const tell = tellEvents({ record: options.recordEvent, serviceUid, isDryRun, clock });
  const weeder = create.createWeeder({
    config,
    runtime,
    deletePod: deleteThrough(client),
    readySince: readySinceThrough(client, (unknown) =>
      logger.warn(unknown, 'a pod behind a service cannot be read: since when the service is ready is not known'),
    ),
    report: (fact) => {
      log(fact);
      tell(fact);
      options.report?.(fact);
    },
    concurrentDeletions,
    isDryRun,
    random: Math.random,
  });
  const streams = create.createStreams({
    weeder,
    config,
    namespaces,
    wrap: (stream) => ofShard(stream, shard),
    onChanged: options.onStreamsChanged,
    onClosed: options.onStreamClosed,
  });
  return {
    name: 'weeder',
    needs: streams.needs,
    configure(next) {
      weeder.configure(next);
      streams.configure(next);
    },
    start(without = []) {
      if (without.length > 0)
        logger.warn({ streams: without, ...weeder.counts() }, 'weeding, without streams that cannot be read yet');
      else if (streams.needs.size > 0)
        logger.info({ streams: streams.needs.size, ...weeder.counts() }, 'all streams are synced, weeding');
      weeder.start();
    },
    stop: () => weeder.stop(),
    drained: () => weeder.drained(),
    work: () => weeder.counts(),
    actors: () => weeder.actors(),
    actorCounts() {
      const { endpoints, podDeletions } = weeder.counts();
      return { endpoint: endpoints, dependants: weeder.dependants(), podDeletion: podDeletions };
    },
    counts: () => weeder.counts(),
    crashLooping: (namespace, service) => weeder.crashLooping(namespace, service),
  };
}

/** A service is the business of the shard that owns its namespace, and so are its dependants, wherever they live. */
function ofShard(stream: StreamNeed, shard: Shard | undefined): StreamNeed {
  if (shard === undefined || stream.kind !== 'EndpointSlice') return stream;
  return { ...stream, sink: onlyOwned(stream.sink, shard) };
}
