import type { JsonObject } from '@weeder/kube-runtime/base';
import { bareKind, isWorkloadKind } from '@weeder/kube-runtime/objects';
import type { StreamNeed } from '@weeder/kube-runtime/watch';
import {
  type ClosableSink,
  createStreamSet,
  notifyingComplete,
  type OpenStream,
  type StreamSet,
} from '@weeder/kube-runtime/watch';
import type { Config } from '../../config/config.ts';
import type { OwnedNamespaces } from '../../controller/ownedNamespaces.ts';
import type { SourceKind, SourceRef, WorkloadRef } from '../references/refs.ts';
import {
  kindsOfRules,
  planRestartStreams,
  type RestartStreamPlan,
  streamsFor,
  streamsForWorkload,
  type WatchedPlace,
} from './restartStreamPlan.ts';

/** Creates a sink for each stream; the sink affects nothing outside of the stream's scope. */
interface RestartSinks {
  /** Takes workloads as the API serves them. */
  workloads(kind: string, place: WatchedPlace): ClosableSink;
  /** Takes the reduced metadata of sources. */
  sources(kind: SourceKind, place: WatchedPlace): ClosableSink;
}

/** Wraps the sink of the stream of this name. */
export type WrapRestartSink = (
  stream: Pick<RestartStreamPlan, 'name' | 'isSource' | 'kind'>,
  sink: ClosableSink,
) => ClosableSink;

interface RestartStreamsOptions {
  readonly config: Config;
  readonly namespaces: 'all' | readonly string[];
  /** The namespaces of the workloads; undefined: all. Sources are read in every namespace. */
  readonly owned: Pick<OwnedNamespaces, 'onlyOwned'> | undefined;
  readonly sinks: RestartSinks;
  /** Wraps the sinks behind this filter: workloads of other namespaces are not seen. */
  readonly wrap?: WrapRestartSink;
  /** Reduces a source's metadata before anything else sees it: it must not contain values. */
  readonly reduceSource: (object: JsonObject) => JsonObject;
  /** Called when streams have been opened or closed, except for the first ones. */
  readonly onChanged: () => void;
  /** Called for each stream that was closed permanently. */
  readonly onClosed: (name: string) => void;
  /** Called each time when all open streams have become synced. */
  readonly onSynced: () => void;
  /** Called for each stream that has read its first complete list. */
  readonly onRead: (stream: RestartStreamPlan) => void;
}

/**
 * The streams that restart control needs, following the config and the used sources. There are none without a section
 * `restartControl`.
 */
export interface RestartStreams extends Pick<StreamSet<OpenStream>, 'needs'> {
  /** `between` is called after the missing streams have been opened, and before those no longer needed are closed. */
  configure(config: Config, between?: () => void): void;
  /** Sets the used sources: with `access: named`, each has a stream of its own. */
  use(sources: Iterable<SourceRef>): void;
  /** All open streams have read their complete lists; also true if no stream is open. */
  readonly isSynced: boolean;
  /**
   * Whether the streams of this source have been read. A stream that RBAC forbids delays only the workloads that use
   * the source. A source that no stream would deliver, such as one in a namespace that is not watched, counts as read.
   */
  hasRead(source: SourceRef): boolean;
  /** Whether the stream of the workload's kind in its namespace has been read. */
  hasReadWorkload(workload: Pick<WorkloadRef, 'kind' | 'namespace'>): boolean;
}

interface PlannedStream extends OpenStream {
  readonly plan: RestartStreamPlan;
}

function isAwaited({ isSource, kind }: RestartStreamPlan): boolean {
  return isSource || isWorkloadKind(kind);
}

function unserved(kind: string): string {
  return `The API server has no kind ${kind}: install its CustomResourceDefinition, or take the kind out of restartControl.workloadKinds.`;
}

export function createRestartStreams(options: RestartStreamsOptions): RestartStreams {
  const { namespaces, owned, sinks, reduceSource, onChanged, onSynced } = options;
  const streams = createStreamSet<PlannedStream>({
    synced({ plan }, isFirst) {
      if (isFirst) options.onRead(plan);
      reportIfSynced();
    },
    closed: options.onClosed,
  });
  let config = options.config;
  let used: Iterable<SourceRef> = [];
  let hasReported = false;

  const isSynced = () => streams.all().every(({ plan, isSynced }) => isSynced || !isAwaited(plan));

  function reportIfSynced(): void {
    const isNew = isSynced() && !hasReported;
    hasReported = isSynced();
    if (isNew) onSynced();
  }

  function start(plan: RestartStreamPlan): void {
    const { name, path, kind, fieldSelector } = plan;
    const bare = plan.isSource ? sinks.sources(plan.kind, plan) : sinks.workloads(plan.kind, plan);
    const stream: PlannedStream = { plan, name, sink: options.wrap?.(plan, bare) ?? bare, isSynced: false };
    const sink = notifyingComplete(stream.sink, () => streams.synced(stream));
    const common = {
      path,
      kind: bareKind(kind),
      labelSelector: '',
      ...(fieldSelector === undefined ? {} : { fieldSelector }),
    };
    if (plan.isSource)
      streams.open(stream, {
        ...common,
        peers: 'sources',
        isAwaited: false,
        as: 'metadata',
        reduce: reduceSource,
        sink,
      });
    else {
      const need = { ...common, ...standingOf(plan.kind), name, sink };
      streams.open(stream, owned?.onlyOwned(need) ?? need);
    }
  }

  /**
   * A kind without a rule can be managed only by annotation: an operator who grants no permission for that kind expects
   * no workloads of it. Nothing waits for a kind of another group, whose CRD may be installed later.
   */
  function standingOf(kind: string): Pick<StreamNeed, 'peers' | 'isAwaited' | 'isOptional' | 'whenMissing'> {
    if (!isWorkloadKind(kind))
      return { peers: 'workloads', isAwaited: false, isOptional: true, whenMissing: unserved(kind) };
    const { rules = [] } = config.restart ?? {};
    return { peers: 'workloads', isAwaited: false, isOptional: rules.length > 0 && !kindsOfRules({ rules }).has(kind) };
  }

  function isCovered(names: readonly string[]): boolean {
    const covering = names.flatMap((name) => streams.get(name) ?? []);
    return covering.length === 0 || covering.some((stream) => stream.isSynced);
  }

  const plansNow = () => planRestartStreams(config.restart, namespaces, used);

  /**
   * Returns whether any stream was opened or closed. A newly opened stream has not completed its list yet when a source
   * seems to disappear.
   */
  function arrange(between: () => void = () => {}): boolean {
    const missing = plansNow().filter(({ name }) => streams.get(name) === undefined);
    for (const plan of missing) start(plan);
    between();
    const needed = new Set(plansNow().map(({ name }) => name));
    const obsolete = streams.all().filter(({ name }) => !needed.has(name));
    for (const stream of obsolete) streams.close(stream);
    return obsolete.length + missing.length > 0;
  }

  function rearrange(between?: () => void): void {
    if (!arrange(between)) return;
    onChanged();
    // The last stream that had not been read may be one that was closed now.
    if (streams.needs.size > 0) reportIfSynced();
  }

  arrange();
  return {
    needs: streams.needs,
    configure(next, between) {
      config = next;
      rearrange(between);
      for (const stream of streams.all()) {
        const need = streams.needs.get(stream.name);
        if (!stream.plan.isSource && need !== undefined)
          streams.open(stream, { ...need, ...standingOf(stream.plan.kind) });
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
