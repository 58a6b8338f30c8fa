import { type AnyActorRef, createActor } from 'xstate';
import type { ActorRuntime } from '../actorRuntime.ts';
import type { RestartConfig } from '../config/restart.ts';
import { messageOf } from '../errors.ts';
import type { ClosableSink } from '../kube/sink.ts';
import type { WorkloadKind } from '../kube/workloadKinds.ts';
import { createDigests } from './digests.ts';
import type { ReportRestart } from './facts.ts';
import type { HashKeys } from './hashKey.ts';
import { settingsFor } from './managed.ts';
import { type SourceRef, sourceKey, workloadKey } from './refs.ts';
import type { RestartApi } from './restartApi.ts';
import { createSourceIndex } from './sourceIndex.ts';
import { createTurns } from './turns.ts';
import { provideWorkload } from './workloadActor.ts';
import type { WorkloadEntry } from './workloadEntry.ts';
import { readWorkload, type WorkloadFacts } from './workloadFacts.ts';
import { createWorkloadSinks } from './workloadSinks.ts';
import { usesOfWorkload } from './workloadUses.ts';

export interface RestartControlOptions {
  readonly config: RestartConfig;
  readonly runtime: ActorRuntime;
  readonly api: RestartApi;
  readonly report: ReportRestart;
  readonly isDryRun: boolean;
  /** From 0 to 1, for jitter. */
  readonly random: () => number;
}

/** How much of everything there is now. */
export interface RestartCounts {
  readonly workloads: number;
  readonly sources: number;
  /** Requests under way. */
  readonly inFlight: number;
  /** By the state of the machine. */
  readonly states: Readonly<Record<string, number>>;
}

/** Restart control without its streams: facts go in by the sinks, writes come out by the API. */
export interface RestartControl {
  /** Takes the workloads of one kind. */
  createWorkloadSink(kind: WorkloadKind): ClosableSink;
  /** Takes the metadata of ConfigMaps and Secrets. */
  createSourceSink(): ClosableSink;
  configure(config: RestartConfig): void;
  /** The key with which content is hashed has been read, or is another one now. */
  useKeys(keys: HashKeys): void;
  /** Every sink has its complete list. */
  start(): void;
  /** Begins nothing any more. */
  stop(): void;
  /** Resolves when no request is under way. */
  drained(): Promise<void>;
  counts(): RestartCounts;
  actors(): Iterable<AnyActorRef>;
  entries(): Iterable<WorkloadEntry>;
}

export function createRestartControl(options: RestartControlOptions): RestartControl {
  const { runtime, api, report, isDryRun, random } = options;
  const { clock } = runtime;
  let { config } = options;
  let keys: HashKeys | undefined;
  let isRunning = false;
  const known = new Map<string, WorkloadFacts>();
  const entries = new Map<string, WorkloadEntry>();
  const users = new Map<string, Set<string>>();
  const inFlight = new Set<Promise<unknown>>();
  const sources = createSourceIndex(sourceChanged);
  const digests = createDigests({ api, metaOf: sources.get });
  const turns = createTurns({ clock, limits: () => config });
  const logic = provideWorkload({
    clock,
    api,
    digests,
    turns,
    report,
    random,
    isDryRun,
    keys: () => keys,
    metaOf: sources.get,
    entryOf: (id) => entries.get(id),
    learn(entry, object) {
      const facts = readWorkload(object, entry.facts.ref.kind);
      if (facts !== undefined) take(facts);
    },
    inFlight,
  });

  function sourceChanged(ref: SourceRef): void {
    for (const id of users.get(sourceKey(ref)) ?? []) tellChanged(entries.get(id));
  }

  function tellChanged(entry: WorkloadEntry | undefined): void {
    if (entry === undefined) return;
    entry.changedAt = clock.monotonic();
    entry.actor.send({ type: 'facts.changed' });
  }

  function take(facts: WorkloadFacts): void {
    const id = workloadKey(facts.ref);
    known.set(id, facts);
    if (isRunning) look(id, facts);
  }

  /** What is written on a workload that is looked after no more is taken away. */
  function look(id: string, facts: WorkloadFacts): void {
    const settings = settingsFor(config, facts);
    const entry = entries.get(id);
    if (settings === undefined && entry === undefined && facts.stateText === undefined) return;
    if (entry !== undefined && entry.facts.uid !== facts.uid) {
      forget(id);
      look(id, facts);
      return;
    }
    if (entry === undefined) {
      begin(id, facts);
      return;
    }
    const before = concernOf(entry);
    entry.facts = facts;
    entry.settings = settings;
    rememberUses(entry);
    if (concernOf(entry) !== before) entry.actor.send({ type: 'facts.changed' });
    for (const watcher of [...entry.watchers]) watcher();
  }

  function begin(id: string, facts: WorkloadFacts): void {
    const settings = settingsFor(config, facts);
    const { quietPeriod, quietMax, progressDeadline } = settings ?? config.defaults;
    const actor = createActor(logic, {
      ...runtime,
      id,
      input: { workload: id, quietPeriod, quietMax, progressDeadline },
    });
    const entry: WorkloadEntry = {
      id,
      actor,
      facts,
      settings,
      uses: [],
      changedAt: clock.monotonic(),
      finding: undefined,
      templateBefore: undefined,
      hasRestarted: false,
      pretended: undefined,
      watchers: new Set(),
    };
    entries.set(id, entry);
    rememberUses(entry);
    actor.subscribe({
      complete: () => forget(id),
      error: (error) => {
        forget(id);
        report({ type: 'actor.failed', actor: `workload ${id}`, error: messageOf(error) });
      },
    });
    actor.start();
  }

  function rememberUses(entry: WorkloadEntry): void {
    const uses = usesOfWorkload(entry.facts, entry.settings ?? config.defaults, sources.get, report);
    forgetUses(entry);
    entry.uses = uses;
    for (const { source } of uses) {
      const key = sourceKey(source);
      users.set(key, (users.get(key) ?? new Set()).add(entry.id));
    }
  }

  function forgetUses(entry: WorkloadEntry): void {
    for (const { source } of entry.uses) {
      const key = sourceKey(source);
      const its = users.get(key);
      its?.delete(entry.id);
      if (its?.size !== 0) continue;
      users.delete(key);
      digests.forget(source);
    }
    entry.uses = [];
  }

  function forget(id: string): void {
    const entry = entries.get(id);
    if (entry === undefined) return;
    entries.delete(id);
    forgetUses(entry);
    entry.actor.stop();
  }

  const sinks = createWorkloadSinks({
    take,
    remove(id) {
      known.delete(id);
      entries.get(id)?.actor.send({ type: 'workload.gone' });
    },
  });

  function lookAtAll(): void {
    for (const [id, facts] of known) look(id, facts);
  }

  return {
    createWorkloadSink: sinks.create,
    createSourceSink: sources.createSink,
    configure(next) {
      config = next;
      if (isRunning) lookAtAll();
    },
    useKeys(next) {
      const isNew = keys?.current.id !== next.current.id;
      keys = next;
      if (isNew) for (const entry of entries.values()) entry.actor.send({ type: 'facts.changed' });
    },
    start() {
      isRunning = true;
      lookAtAll();
    },
    stop() {
      isRunning = false;
      for (const id of [...entries.keys()]) forget(id);
      digests.stop();
    },
    async drained() {
      while (inFlight.size > 0) await Promise.allSettled(inFlight);
    },
    counts: () => ({
      workloads: entries.size,
      sources: sources.size,
      inFlight: inFlight.size,
      states: countStates(entries.values()),
    }),
    *actors() {
      for (const { actor } of entries.values()) yield actor;
    },
    entries: () => entries.values(),
  };
}

/** Everything of a workload that decides: when it is the same, nothing has to be found out anew. */
function concernOf({ facts, settings, uses }: WorkloadEntry): string {
  const { annotations, templateHash, stateText, isPaused, isEnding } = facts;
  return JSON.stringify([annotations, templateHash, stateText, isPaused, isEnding, settings, uses]);
}

function countStates(entries: Iterable<WorkloadEntry>): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { actor } of entries) {
    const { value } = actor.getSnapshot();
    const name = typeof value === 'string' ? value : Object.values(value).join('');
    counts[name] = (counts[name] ?? 0) + 1;
  }
  return counts;
}
