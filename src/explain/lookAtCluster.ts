import { systemClock } from '../base/clock.ts';
import { ok, type Result } from '../base/errors.ts';
import type { Config } from '../config/config.ts';
import { distinctSelectors } from '../config/selectors.ts';
import type { StreamNeed } from '../kube/watch/streamNeed.ts';
import { deleteNothing } from '../weeder/deletions/deletePod.ts';
import { streamsOf } from '../weeder/streams.ts';
import { createWeeder, type Weeder } from '../weeder/weeder.ts';
import { countPods, type PodCounts } from './podCounts.ts';

/** Reads the complete list of a stream into its sink. */
export type ReadStream = (stream: StreamNeed) => Promise<Result<undefined>>;

/** What a complete list of every stream says. */
export interface ClusterView {
  readonly weeder: Weeder;
  /** How many pods each podSelector selects, by its canonical text. */
  readonly pods: ReadonlyMap<string, PodCounts>;
}

/** Reads every stream once, through the same sinks that `run` uses. */
export async function lookAtCluster(
  config: Config,
  namespaces: 'all' | readonly string[],
  read: ReadStream,
): Promise<Result<ClusterView>> {
  const weeder = createWeeder({
    config,
    runtime: { clock: systemClock },
    deletePod: deleteNothing,
    readySince: async () => undefined,
    report: () => {},
    concurrentDeletions: 1,
    isDryRun: true,
    random: Math.random,
  });
  const pods = new Map([...distinctSelectors(config)].map(([text, selector]) => [text, countPods(selector)]));
  for (const stream of streamsOf(weeder, config, namespaces)) {
    const list = await read(counting(stream, pods));
    if (!list.ok) return list;
  }
  return ok({ weeder, pods });
}

/** The stream of one selector is counted for that one, the stream of all pods for every one. */
function counting(stream: StreamNeed, pods: ReadonlyMap<string, PodCounts>): StreamNeed {
  if (stream.kind !== 'Pod') return stream;
  const wanted = [...pods].filter(([text]) => stream.labelSelector === '' || stream.labelSelector === text);
  return { ...stream, sink: wanted.reduce((sink, [, counts]) => counts.beside(sink), stream.sink) };
}
