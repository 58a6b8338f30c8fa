import type { ClosableSink } from '@weeder/kube-runtime/watch';
import type { AnyActorRef } from 'xstate';
import type { ActorRuntime } from '../actors/actorRuntime.ts';
import type { Random } from '../actors/effect.ts';
import { track } from '../base/promises.ts';
import { tally } from '../base/tally.ts';
import type { RestartConfig } from '../config/restart.ts';
import { createStateOwner } from './content/stateOwner.ts';
import type { HashKeys } from './digest/hashKeys.ts';
import { createRecreations } from './jobs/recreations.ts';
import { createLatePods } from './late/latePods.ts';
import { createRestartSchedule } from './pace/restartSchedule.ts';
import { statusOf } from './patches/status.ts';
import type { WorkloadEntry } from './patches/workloadEntry.ts';
import type { ReportRestart } from './references/events.ts';
import { type SourceKind, type SourceRef, type WorkloadRef, workloadKey } from './references/refs.ts';
import type { RestartApi } from './requests/restartApi.ts';
import { recordContent } from './rollout/uncertainStarts.ts';
import { createDigests, type Digests } from './sources/digests.ts';
import type { ReadStream } from './sources/restartStreamPlan.ts';
import { createSourceIndex, type SourcesKnown } from './sources/sourceIndex.ts';
import { createSharedTemplates } from './workload/sharedTemplates.ts';
import { provideWorkload } from './workload/workloadActor.ts';
import { createWorkloadSinks, readUpdate } from './workload/workloadSinks.ts';
import { createWorkloads } from './workload/workloads.ts';

interface RestartControlOptions {
  readonly config: RestartConfig;
  readonly runtime: ActorRuntime;
  readonly api: RestartApi;
  readonly report: ReportRestart;
  readonly isDryRun: boolean;
  /** The watched namespaces. Default: all. */
  readonly namespaces?: 'all' | readonly string[];
  readonly random: Random;
  /** Whether this source has been read: if it is unknown after that, it does not exist. */
  readonly hasRead: (source: SourceRef) => boolean;
  /** Whether the workloads of its kind in its namespace have been read. */
  readonly hasReadWorkload: (workload: Pick<WorkloadRef, 'kind' | 'namespace'>) => boolean;
  /** Called with the used sources when they have changed. */
  readonly onUsed: (sources: Iterable<SourceRef>) => void;
  /** A replay that begins in the middle of a run. */
  readonly isContinued?: boolean;
  /** Wraps the digests: contents and keys are not visible to the wrapper. */
  readonly wrapDigests?: WrapDigests;
}

export type WrapDigests = (digests: Digests, sources: SourcesKnown) => Digests;

/** The current counts. */
interface RestartCounts {
  readonly workloads: number;
  /** The number of used ConfigMaps and Secrets. */
  readonly sources: number;
  /** Requests in flight. */
  readonly inFlight: number;
  /** Workloads by the state of their machine. */
  readonly states: Readonly<Record<string, number>>;
  /** The number of pending and blocked workloads, by cause. */
  readonly pending: Readonly<Record<string, number>>;
  readonly blocked: Readonly<Record<string, number>>;
}

/** Restart control without its streams: objects come in through the sinks, writes go out through the API. */
export interface RestartControl {
  /** Takes the workloads of one kind. */
  createWorkloadSink(kind: string): ClosableSink;
  /** Takes the metadata of ConfigMaps or Secrets. */
  createSourceSink(kind: SourceKind): ClosableSink;
  /** Applies this config from now on. */
  configure(config: RestartConfig): void;
  /** The hash keys have been read, or have changed. */
  useKeys(keys: HashKeys): void;
  /** From now on restart control acts on workloads whose streams have been read. */
  start(): void;
  readonly isRunning: boolean;
  /** This stream has read its first complete list: workloads that waited for it continue. */
  streamRead(stream: ReadStream): void;
  /** Begins no more work. */
  stop(): void;
  /** Resolves when no request is in flight. */
  drained(): Promise<void>;
  counts(): RestartCounts;
  /** One root actor for each managed workload. */
  actors(): Iterable<AnyActorRef>;
  entries(): Iterable<WorkloadEntry>;
  /** The config in force, whose rules are the settings of the entries. */
  config(): RestartConfig;
}

export function createRestartControl(options: RestartControlOptions): RestartControl {
  const { runtime, api, report, isDryRun, random } = options;
  const { clock } = runtime;
  let { config } = options;
  let keys: HashKeys | undefined;
  const inFlight = new Set<Promise<unknown>>();
  const sources = createSourceIndex(
    clock,
    (ref) => workloads.sourceChanged(ref),
    (ref) => digests.forget(ref),
  );
  const { wrapDigests = (each) => each } = options;
  const digests = wrapDigests(createDigests({ api, sources }), sources);
  const schedule = createRestartSchedule({ clock, limits: () => config });
  const recreations = createRecreations({
    runtime,
    api,
    report,
    isDryRun,
    keys: () => keys,
    random,
    inFlight,
    onReleased: () => workloads.resume(),
  });
  const latePods = createLatePods({
    runtime,
    api,
    digests,
    sources,
    schedule,
    report,
    random,
    isDryRun,
    keys: () => keys,
    entryOf: (id) => workloads.get(id),
    inFlight,
  });
  const ownerOf = createStateOwner(() => keys, report);
  const logic = provideWorkload({
    clock,
    api,
    digests,
    schedule,
    recreations,
    report,
    random,
    isDryRun,
    keys: () => keys,
    hasRead: options.hasRead,
    sources,
    ownerOf,
    entryOf: (id) => workloads.get(id),
    observeWrite(entry, object) {
      const update = readUpdate(object, entry.observed.summary.ref.kind, config.workloadKinds);
      // The workload may be deleted by now, and its stream would not report that again.
      if (update !== undefined && workloads.get(entry.id) === entry) templates.take(update);
    },
    inFlight,
  });
  const workloads = createWorkloads({
    runtime,
    logic,
    report,
    config: () => config,
    namespaces: options.namespaces ?? 'all',
    isDryRun,
    metaOf: sources.get,
    ownerOf,
    keys: () => keys,
    onUnassessed: (entry, ref) => track(inFlight, recordContent({ digests, sources }, entry, ref)),
    hasRead: options.hasRead,
    hasReadWorkload: (workload) => options.hasReadWorkload(workload) && !templates.isHeld(workload),
    onUnused: digests.forget,
    onUsed: options.onUsed,
    recreations,
    latePods,
  });
  const templates = createSharedTemplates({
    config: () => config,
    hasReadWorkload: options.hasReadWorkload,
    isContinued: options.isContinued,
    receiver: {
      take(update) {
        const id = workloadKey(update.summary.ref);
        if (update.copy === undefined) workloads.take(update);
        else recreations.found(update.copy, update.summary.uid);
        recreations.changed(id);
      },
      remove(id) {
        workloads.remove(id);
        recreations.changed(id);
      },
      streamRead: workloads.streamRead,
    },
  });
  const sinks = createWorkloadSinks(
    {
      // While a Job is being recreated, every update of its stream is handled.
      knows: (id, version) => recreations.size === 0 && workloads.knows(id, version),
      rewound: (id) => workloads.rewound(id),
      take: templates.take,
      remove: templates.remove,
    },
    () => config.workloadKinds,
  );

  return {
    createWorkloadSink: sinks.create,
    createSourceSink: sources.createSink,
    configure(next) {
      config = next;
      schedule.limitsChanged();
      templates.configChanged();
      workloads.configChanged();
    },
    useKeys(next) {
      const isOther = keys?.current.id !== next.current.id;
      if (isOther) report({ type: 'key.changed', keyId: next.current.id, before: keys?.current.id });
      keys = next;
      if (!isOther) return;
      // The keys show which annotations were forged, and whose states the unmanaged workloads carry.
      workloads.configChanged();
      workloads.reassessAll();
      recreations.keysChanged();
    },
    start() {
      recreations.start();
      templates.start(clock);
      workloads.start();
    },
    get isRunning() {
      return workloads.isRunning;
    },
    streamRead: templates.streamRead,
    stop() {
      templates.stop();
      schedule.close();
      workloads.stop();
      recreations.stop();
      latePods.stop();
      digests.stop();
    },
    async drained() {
      while (inFlight.size > 0) await Promise.allSettled(inFlight);
    },
    counts: () => ({
      workloads: workloads.size,
      sources: workloads.usedSources,
      inFlight: inFlight.size,
      ...countStates(workloads.entries()),
    }),
    *actors() {
      for (const { actor } of workloads.entries()) yield actor;
      yield* recreations.actors();
      yield* latePods.actors();
    },
    entries: workloads.entries,
    config: () => config,
  };
}

function countStates(entries: Iterable<WorkloadEntry>): Pick<RestartCounts, 'states' | 'pending' | 'blocked'> {
  const statuses = [...entries].map(statusOf);
  const causesIn = (name: string) => tally(statuses.filter(({ state }) => state === name).map(({ cause }) => cause));
  return {
    states: tally(statuses.map(({ state }) => state)),
    pending: causesIn('waiting'),
    blocked: causesIn('blocked'),
  };
}
