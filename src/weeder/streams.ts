import { createSelectorIndex } from '@weeder/kube-runtime/objects';
import type { StreamNeed } from '@weeder/kube-runtime/watch';
import {
  type ClosableSink,
  createStreamSet,
  notifyingComplete,
  type OpenStream,
  type StreamSet,
} from '@weeder/kube-runtime/watch';
import { type Config, distinctSelectors } from '../config/config.ts';
import { fanOut } from './pods/fanOut.ts';
import type { SliceStreamOptions } from './services/readiness.ts';
import { canServe, isOfDeclarations, planStreams, type StreamPlan } from './streamPlan.ts';
import type { Weeder } from './weeder.ts';

/** An open stream, as plain data; `covers`: what it serves. */
export interface StreamState extends Pick<StreamPlan, 'group' | 'path' | 'kind' | 'labelSelector' | 'fieldSelector'> {
  readonly name: string;
  readonly covers: readonly string[];
  /** The stream has read its complete list, and its objects count. */
  readonly isSynced: boolean;
}

/** The sinks of the streams. */
export interface StreamSinks {
  slices(plan: StreamPlan, options: Omit<SliceStreamOptions, 'names'>): ClosableSink;
  pods(plan: StreamPlan): PodSink;
  failedCreates(): ClosableSink;
}

type PodSink = ClosableSink & { readonly keepOnly?: (covers: ReadonlySet<string>) => void };

/** The streams that have to be open, as the config changes. */
export interface Streams extends Pick<StreamSet<OpenStream>, 'needs'> {
  /**
   * Opens the streams that this config requires and closes the others. A stream that is replaced stays open until the
   * new ones have read their complete lists. Call `configure` of the weeder first.
   */
  configure(config: Config): void;
  /** The open streams, in the order in which they were opened. */
  state(): StreamState[];
  /** An open stream is being replaced by another one. */
  readonly isHandingOver: boolean;
}

export interface StreamsOptions {
  readonly weeder: Weeder;
  /** Default: the weeder's own sinks. */
  readonly sinks?: StreamSinks;
  readonly config: Config;
  readonly namespaces: 'all' | readonly string[];
  /** The streams that were open before, which continue. Default: none. */
  readonly resumed?: readonly StreamState[] | undefined;
  /** Wraps each stream, for example with a recorder. */
  readonly wrap?: (need: StreamNeed) => StreamNeed;
  /** Called when streams have been opened or closed. */
  readonly onChanged?: () => void;
  /** Called for each stream that will deliver nothing more. */
  readonly onClosed?: (name: string) => void;
}

interface PlannedStream extends OpenStream {
  plan: StreamPlan;
  readonly sink: PodSink;
}

/** The streams of a config that does not change. */
export function streamsOf(weeder: Weeder, config: Config, namespaces: 'all' | readonly string[]): StreamNeed[] {
  return [...createStreams({ weeder, config, namespaces }).needs.values()];
}

export function createStreams(options: StreamsOptions): Streams {
  const { namespaces, wrap = (need) => need, onChanged = () => {}, onClosed = () => {} } = options;
  const sinks = options.sinks ?? sinksOf(options.weeder);
  const streams = createStreamSet<PlannedStream>({
    synced({ plan: { group } }, isFirst) {
      if (isFirst && closeReplaced(group)) onChanged();
    },
    closed: onClosed,
  });
  let plans: readonly StreamPlan[] = [];

  function start(plan: StreamPlan, name: string, isSynced = false): void {
    const synced = () => streams.synced(stream);
    const stream: PlannedStream = { plan, name, sink: sinkOf(plan, synced), isSynced };
    const { path, kind, labelSelector, fieldSelector } = plan;
    const sink = kind === 'EndpointSlice' ? stream.sink : notifyingComplete(stream.sink, synced);
    // A namespace may lack its Roles, or not exist: its stream may be refused. A stream that is refused in every
    // namespace is waited for.
    const peers = path.includes('/namespaces/') ? { peers: kind } : {};
    // It may lack its permission, which is one of its own, and nothing else waits for it.
    const optional = kind === 'Event' ? { isOptional: true, isAwaited: false } : {};
    const selectors = { labelSelector, ...(fieldSelector === undefined ? {} : { fieldSelector }) };
    streams.open(stream, wrap({ name, path, kind, ...selectors, sink, ...peers, ...optional }));
  }

  function sinkOf(plan: StreamPlan, onTakeOver: () => void): PodSink {
    if (plan.kind === 'Pod') return sinks.pods(plan);
    if (plan.kind === 'Event') return sinks.failedCreates();
    const synced = streams.all().filter((each) => each.plan.group === plan.group && each.isSynced);
    const after = synced.map(({ sink }) => sink);
    return sinks.slices(plan, { after, isAddedLater: after.length === 0, onTakeOver });
  }

  /** Once all streams of a group are synced, the streams that they replace are closed. */
  function closeReplaced(group: string): boolean {
    const planned = plans.filter((plan) => plan.group === group);
    const ofGroup = streams.all().filter(({ plan }) => plan.group === group);
    const isReady = planned.every((plan) => ofGroup.some((each) => each.isSynced && each.plan === plan));
    const replaced = isReady ? ofGroup.filter(({ plan }) => !planned.includes(plan)) : [];
    for (const stream of replaced) streams.close(stream);
    return replaced.length > 0;
  }

  /** An old stream serves what is still required, until the streams that replace it are synced. */
  function retire(stream: PlannedStream, required: ReadonlySet<string>): void {
    const covers = new Set([...stream.plan.covers].filter((each) => required.has(each)));
    stream.sink.keepOnly?.(covers);
    if (stream.plan.kind !== 'EndpointSlice') stream.plan = { ...stream.plan, covers };
    // EndpointSlices: the state of the old stream distinguishes a recovery from a service that was not watched before.
    const ofUse = stream.plan.kind === 'EndpointSlice' ? required : covers;
    if (!stream.isSynced || ofUse.size === 0) streams.close(stream);
  }

  function arrange(config: Config): void {
    const taken = new Set(streams.needs.keys());
    plans = planStreams(config, namespaces, plans);
    const covered = coveredByGroup(plans);
    const missing = plans.filter((plan) => {
      const serving = streams.all().find((each) => each.plan.group === plan.group && canServe(each.plan, plan));
      if (serving === undefined) return true;
      serving.plan = plan;
      serving.sink.keepOnly?.(plan.covers);
      return false;
    });
    for (const stream of streams.all().filter(({ plan }) => !plans.includes(plan))) {
      retire(stream, covered.get(stream.plan.group) ?? new Set());
    }
    for (const plan of missing) {
      const name = freeName(plan.name, taken);
      taken.add(name);
      start(plan, name);
    }
    for (const group of new Set(plans.map((plan) => plan.group))) closeReplaced(group);
  }

  for (const { name, covers, isSynced, ...plan } of options.resumed ?? []) {
    start(resumedPlan({ ...plan, name, covers: new Set(covers) }, options.config), name, isSynced);
  }
  // The newest come first: they replace the others.
  plans = streams
    .all()
    .map(({ plan }) => plan)
    .reverse();
  arrange(options.config);
  return {
    needs: streams.needs,
    state: () =>
      streams.all().map(({ name, isSynced, plan: { group, path, kind, labelSelector, fieldSelector, covers } }) => {
        const selectors = { labelSelector, ...(fieldSelector === undefined ? {} : { fieldSelector }) };
        return { name, group, path, kind, ...selectors, covers: [...covers], isSynced };
      }),
    get isHandingOver() {
      return streams.all().some(({ plan }) => !plans.includes(plan));
    },
    configure(config) {
      arrange(config);
      onChanged();
    },
  };
}

function sinksOf({ slices, pods, declaredPods, owners }: Weeder): StreamSinks {
  return {
    failedCreates: owners.createSink,
    slices: ({ covers: names }, options) => slices.createSink({ names, ...options }),
    pods({ name, labelSelector, selectors }) {
      if (isOfDeclarations(name)) return declaredPods.createSink();
      if (selectors !== undefined) return fanOut(pods, selectors());
      const index = pods.get(labelSelector);
      if (index === undefined) throw new Error(`the weeder does not know the podSelector ${labelSelector}`);
      return index.createSink();
    },
  };
}

/** What the streams of each group have to serve. */
function coveredByGroup(plans: readonly StreamPlan[]): ReadonlyMap<string, ReadonlySet<string>> {
  const covered = new Map<string, ReadonlySet<string>>();
  for (const { group, covers } of plans) covered.set(group, (covered.get(group) ?? new Set()).union(covers));
  return covered;
}

/** A stream of all pods continues to distribute them to the podSelectors that it covers. */
function resumedPlan(plan: StreamPlan, config: Config): StreamPlan {
  if (plan.kind !== 'Pod' || plan.labelSelector !== '') return plan;
  const selectors = [...distinctSelectors(config)].filter(([text]) => plan.covers.has(text));
  return { ...plan, selectors: () => createSelectorIndex(new Map(selectors)) };
}

/** While a stream and its replacement are both open, a number distinguishes their names. */
function freeName(name: string, taken: ReadonlySet<string>): string {
  if (!taken.has(name)) return name;
  let number = 2;
  while (taken.has(`${name} ${number}`)) number += 1;
  return `${name} ${number}`;
}
