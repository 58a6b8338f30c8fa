import { systemClock } from '../base/clock.ts';
import { ok, type Result } from '../base/errors.ts';
import { objectOf, textOf } from '../base/json.ts';
import { type Config, distinctSelectors } from '../config/config.ts';
import { type LabelSelector, matchesSelector } from '../kube/objects/selector.ts';
import type { ObjectSink } from '../kube/watch/sink.ts';
import type { StreamNeed } from '../kube/watch/streamNeed.ts';
import { deleteNothing } from '../weeder/deletions/deletePod.ts';
import { labelsOf } from '../weeder/pods/fanOut.ts';
import { type NeverStarted, neverStarted } from '../weeder/pods/neverStarted.ts';
import { streamsOf } from '../weeder/streams.ts';
import { createWeeder, type Weeder } from '../weeder/weeder.ts';

/** Reads the complete list of a stream into its sink. */
export type ReadStream = (stream: StreamNeed) => Promise<Result<undefined>>;

/** The result of one complete list of every stream. */
export interface ClusterView {
  readonly weeder: Weeder;
  /** The number of pods that each podSelector selects, by its canonical text. */
  readonly pods: ReadonlyMap<string, PodCounts>;
}

/** Reads every stream once, through the same sinks that `run` uses. */
export async function inspectCluster(
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

/** The stream of one selector is counted for that selector, the stream of all pods for every selector. */
function counting(stream: StreamNeed, pods: ReadonlyMap<string, PodCounts>): StreamNeed {
  if (stream.kind !== 'Pod') return stream;
  const selected = [...pods].filter(([text]) => stream.labelSelector === '' || stream.labelSelector === text);
  return { ...stream, sink: selected.reduce((sink, [, counts]) => counts.beside(sink), stream.sink) };
}

/** Counts the pods that pass through a sink and are selected, by namespace. */
interface PodCounts {
  /** Returns a sink that passes everything on to `sink` and counts it. */
  beside(sink: ObjectSink): ObjectSink;
  /** Counts the pods in these namespaces, or in all. */
  total(namespaces: 'all' | readonly string[]): number;
  /** Counts the pods that cannot start, which weeder leaves alone. */
  neverStarted(namespaces: 'all' | readonly string[]): readonly NeverStarted[];
}

function countPods(selector: LabelSelector): PodCounts {
  const counts = new Map<string, number>();
  const stuck: NeverStarted[] = [];
  return {
    beside: (sink) => ({
      begin: () => sink.begin(),
      apply(type, object) {
        const namespace = textOf(objectOf(objectOf(object)['metadata'])['namespace']) ?? '';
        if (matchesSelector(selector, labelsOf(object))) {
          counts.set(namespace, (counts.get(namespace) ?? 0) + 1);
          stuck.push(...[neverStarted(object)].filter((each) => each !== undefined));
        }
        sink.apply(type, object);
      },
      end: () => sink.end(),
    }),
    neverStarted: (namespaces) =>
      stuck
        .filter(({ namespace }) => namespaces === 'all' || namespaces.includes(namespace))
        .sort((a, b) => (a.name < b.name ? -1 : 1)),
    total(namespaces) {
      const selected = namespaces === 'all' ? [...counts.values()] : namespaces.map((name) => counts.get(name) ?? 0);
      return selected.reduce((sum, count) => sum + count, 0);
    },
  };
}
