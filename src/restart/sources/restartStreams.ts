import type { JsonObject } from '../../base/json.ts';
import type { Config } from '../../config/config.ts';
import { onlyOwned, type Shard } from '../../controller/shard.ts';
import type { WorkloadKind } from '../../kube/objects/workloadKinds.ts';
import { type ClosableSink, tellingComplete } from '../../kube/watch/sink.ts';
import type { StreamNeed } from '../../kube/watch/streamNeed.ts';
import type { SourceKind, SourceRef, WorkloadRef } from '../model/refs.ts';
import {
  kindsOfRules,
  planRestartStreams,
  type RestartStreamPlan,
  streamsFor,
  streamsForWorkload,
  type WatchedPlace,
} from './restartStreamPlan.ts';

/** Where the objects of the streams go: a sink for each stream, which knows of nothing outside of its place. */
interface RestartSinks {
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

interface RestartStreamsOptions {
  readonly config: Config;
  readonly namespaces: 'all' | readonly string[];
  /** A workload belongs to the shard that owns its namespace; sources are everybody's. */
  readonly shard: Shard | undefined;
  readonly sinks: RestartSinks;
  /** Stands behind the shard: what it does not own is not seen. */
  readonly wrap?: WrapRestartSink;
  /** What is left of a source's metadata before anybody sees it: no value may be. */
  readonly reduceSource: (object: JsonObject) => JsonObject;
  /** Told when streams have been opened or closed, but for the first ones. */
  readonly onChanged: () => void;
  /** Told of each stream of which nothing comes any more. */
  readonly onClosed: (name: string) => void;
  /** Told each time when all that are open have read their complete lists, after it was otherwise. */
  readonly onSynced: () => void;
  /** Told of each stream that has read its first complete list. */
  readonly onRead: (stream: RestartStreamPlan) => void;
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
  /** The same of a workload: whether the stream of its kind in its namespace has been read. */
  hasReadWorkload(workload: Pick<WorkloadRef, 'kind' | 'namespace'>): boolean;
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
  let hasReported = false;

  const isSynced = () => [...open.values()].every((stream) => stream.isSynced);

  function reportIfSynced(): void {
    const isNew = isSynced() && !hasReported;
    hasReported = isSynced();
    if (isNew) onSynced();
  }

  function start(plan: RestartStreamPlan): void {
    const { name, path, fieldSelector } = plan;
    const bare = plan.isSource ? sinks.sources(plan.kind, plan) : sinks.workloads(plan.kind, plan);
    const sink = options.wrap === undefined ? bare : options.wrap(plan, bare);
    const stream: OpenStream = { plan, sink, isSynced: false };
    const reportingSink = tellingComplete(sink, () => {
      const isFirst = !stream.isSynced;
      stream.isSynced = true;
      if (open.get(name) !== stream) return;
      if (isFirst) options.onRead(plan);
      reportIfSynced();
    });
    const selectors = { labelSelector: '', ...(fieldSelector === undefined ? {} : { fieldSelector }) };
    const common = { name, path, kind: plan.kind, ...selectors };
    open.set(name, stream);
    if (plan.isSource)
      needs.set(name, {
        ...common,
        peers: 'sources',
        isAwaited: false,
        as: 'metadata',
        reduce: reduceSource,
        sink: reportingSink,
      });
    else
      needs.set(name, {
        ...common,
        ...standingOf(plan.kind),
        sink: shard === undefined ? reportingSink : onlyOwned(reportingSink, shard),
      });
  }

  /** Without a rule for its kind only an annotation can ask for a workload: who gives no right to them expects none. */
  function standingOf(kind: WorkloadKind): Pick<StreamNeed, 'peers' | 'isAwaited' | 'isOptional'> {
    const { rules = [] } = config.restart ?? {};
    return { peers: 'workloads', isAwaited: false, isOptional: rules.length > 0 && !kindsOfRules({ rules }).has(kind) };
  }

  function isCovered(names: readonly string[]): boolean {
    const covering = names.flatMap((name) => open.get(name) ?? []);
    return covering.length === 0 || covering.some((stream) => stream.isSynced);
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
    const needed = new Set(plansNow().map(({ name }) => name));
    const obsolete = [...open].filter(([name]) => !needed.has(name));
    for (const [name, stream] of obsolete) close(name, stream);
    return obsolete.length + missing.length > 0;
  }

  function rearrange(between?: () => void): void {
    if (!arrange(between)) return;
    onChanged();
    // What was waited for may have been what is closed now.
    if (open.size > 0) reportIfSynced();
  }

  arrange();
  return {
    needs,
    configure(next, between) {
      config = next;
      rearrange(between);
      for (const { plan } of open.values()) {
        const need = needs.get(plan.name);
        if (!plan.isSource && need !== undefined) needs.set(plan.name, { ...need, ...standingOf(plan.kind) });
      }
    },
    use(sources) {
      used = sources;
      if (config.restart?.access === 'named') rearrange();
    },
    get isSynced() {
      return isSynced();
    },
    hasRead: (source) => isCovered(streamsFor(source)),
    hasReadWorkload: (workload) => isCovered(streamsForWorkload(workload)),
  };
}
