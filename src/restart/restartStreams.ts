import type { Config } from '../config/config.ts';
import type { JsonObject } from '../json.ts';
import { type ClosableSink, tellingComplete } from '../kube/sink.ts';
import type { StreamNeed } from '../kube/streamNeed.ts';
import type { WorkloadKind } from '../kube/workloadKinds.ts';
import { onlyOwned, type Shard } from '../shard.ts';
import type { SourceKind, SourceRef } from './refs.ts';
import { planRestartStreams, type RestartStreamPlan, streamsFor, type WatchedPlace } from './restartStreamPlan.ts';

/** Where the objects of the streams go: a sink for each stream, which knows of nothing outside of its place. */
export interface RestartSinks {
  /** Takes workloads as the API serves them. */
  workloads(kind: WorkloadKind, place: WatchedPlace): ClosableSink;
  /** Takes the metadata of sources, reduced. */
  sources(kind: SourceKind, place: WatchedPlace): ClosableSink;
}

/** The sink of the stream of this name with something put in front of it. */
export type WrapRestartSink = (
  stream: Pick<RestartStreamPlan, 'name' | 'isSource' | 'kind'>,
  sink: ClosableSink,
) => ClosableSink;

export interface RestartStreamsOptions {
  readonly config: Config;
  readonly namespaces: 'all' | readonly string[];
  /** A workload belongs to the shard that owns its namespace; sources are everybody's. */
  readonly shard: Shard | undefined;
  readonly sinks: RestartSinks;
  /** Stands behind the shard: what it does not own is not seen. */
  readonly wrap?: WrapRestartSink;
  /** What is left of a source's metadata before anybody sees it: no value may be (F6). */
  readonly reduceSource: (object: JsonObject) => JsonObject;
  /** Told when streams have been opened or closed, but for the first ones. */
  readonly onChanged: () => void;
  /** Told of each stream of which nothing comes any more. */
  readonly onClosed: (name: string) => void;
  /** Told each time when all that are open have read their complete lists, after it was otherwise. */
  readonly onSynced: () => void;
  /** Told of each source with a stream of its own when that has read it, or has found that there is none. */
  readonly onSourceRead: (source: SourceRef) => void;
}

/** The streams that restart control needs open, as the config and the used sources change. */
export interface RestartStreams {
  /** By name. None without a section `restartControl`. */
  readonly needs: ReadonlyMap<string, StreamNeed>;
  /** `between` is called when what is missing has been opened, and nothing that is not needed any more closed yet. */
  configure(config: Config, between?: () => void): void;
  /** These sources are used, and no others: with `access: named`, each has a stream of its own. */
  use(sources: Iterable<SourceRef>): void;
  /** All that are open have read their complete lists; where none is open there is nothing to read. */
  readonly isSynced: boolean;
  /**
   * Whether what is known of this source is all that there is to know. One that may not be read keeps only those waiting
   * that use it. What no stream would bring, such as a source of a namespace that is not watched, counts as read.
   */
  hasRead(source: SourceRef): boolean;
}

interface OpenStream {
  readonly plan: RestartStreamPlan;
  readonly sink: ClosableSink;
  isSynced: boolean;
}

export function createRestartStreams(options: RestartStreamsOptions): RestartStreams {
  const { namespaces, shard, sinks, reduceSource, onChanged, onClosed, onSynced } = options;
  const open = new Map<string, OpenStream>();
  const needs = new Map<string, StreamNeed>();
  let config = options.config;
  let used: Iterable<SourceRef> = [];
  let hasTold = false;

  const isSynced = () => [...open.values()].every((stream) => stream.isSynced);

  function tellIfSynced(): void {
    const isNews = isSynced() && !hasTold;
    hasTold = isSynced();
    if (isNews) onSynced();
  }

  function tellRead(kind: SourceKind, namespace: string | undefined, name: string): void {
    if (namespace !== undefined) options.onSourceRead({ kind, namespace, name });
  }

  function start(plan: RestartStreamPlan): void {
    const { name, path, fieldSelector } = plan;
    const bare = plan.isSource ? sinks.sources(plan.kind, plan) : sinks.workloads(plan.kind, plan);
    const sink = options.wrap === undefined ? bare : options.wrap(plan, bare);
    const stream: OpenStream = { plan, sink, isSynced: false };
    const told = tellingComplete(sink, () => {
      stream.isSynced = true;
      if (open.get(name) !== stream) return;
      if (plan.isSource && plan.objectName !== undefined) tellRead(plan.kind, plan.namespace, plan.objectName);
      tellIfSynced();
    });
    const selectors = { labelSelector: '', ...(fieldSelector === undefined ? {} : { fieldSelector }) };
    const common = { name, path, kind: plan.kind, ...selectors };
    open.set(name, stream);
    if (plan.isSource) needs.set(name, { ...common, as: 'metadata', reduce: reduceSource, sink: told });
    else needs.set(name, { ...common, sink: shard === undefined ? told : onlyOwned(told, shard) });
  }

  function close(name: string, { sink }: OpenStream): void {
    open.delete(name);
    needs.delete(name);
    sink.close();
    onClosed(name);
  }

  const plansNow = () => planRestartStreams(config.restart, namespaces, used);

  /** Whether anything was opened or closed. What is opened first is not complete yet when a source seems to go. */
  function arrange(between: () => void = () => {}): boolean {
    const missing = plansNow().filter(({ name }) => !open.has(name));
    for (const plan of missing) start(plan);
    between();
    const wanted = new Set(plansNow().map(({ name }) => name));
    const unwanted = [...open].filter(([name]) => !wanted.has(name));
    for (const [name, stream] of unwanted) close(name, stream);
    return unwanted.length + missing.length > 0;
  }

  function rearrange(between?: () => void): void {
    if (!arrange(between)) return;
    onChanged();
    // What was waited for may have been what is closed now.
    if (open.size > 0) tellIfSynced();
  }

  arrange();
  return {
    needs,
    configure(next, between) {
      config = next;
      rearrange(between);
    },
    use(sources) {
      used = sources;
      if (config.restart?.access === 'named') rearrange();
    },
    get isSynced() {
      return isSynced();
    },
    hasRead(source) {
      const covering = streamsFor(source).flatMap((name) => open.get(name) ?? []);
      return covering.length === 0 || covering.some((stream) => stream.isSynced);
    },
  };
}
