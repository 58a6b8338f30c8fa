import { isAtLeast, oldestVersion } from '@weeder/kube-runtime/objects';
import { createActor } from 'xstate';
import type { ActorRuntime } from '../../actors/actorRuntime.ts';
import { createRegistry } from '../../actors/registry.ts';
import type { RestartConfig, RestartSettings } from '../../config/restart.ts';
import { type StateOwner, trustedSummary } from '../content/stateOwner.ts';
import type { HashKeys } from '../digest/hashKeys.ts';
import type { Recreations } from '../jobs/recreations.ts';
import type { LatePods } from '../late/latePods.ts';
import { markSourceChange } from '../pace/quietPeriod.ts';
import { inputsOf, type Observed } from '../patches/observed.ts';
import { stateOf } from '../patches/status.ts';
import type { WorkloadEntry } from '../patches/workloadEntry.ts';
import { observeRemoval } from '../patches/written.ts';
import { initialProgress, recordVersion } from '../pods/progress.ts';
import type { ReportRestart } from '../references/events.ts';
import { type SourceRef, type WorkloadRef, workloadKey } from '../references/refs.ts';
import type { SourceMeta } from '../references/sourceMeta.ts';
import type { WorkloadSummary } from '../references/workloadSummary.ts';
import { settingsFor } from '../sources/managed.ts';
import { bringsObject, type ReadStream } from '../sources/restartStreamPlan.ts';
import { createSourceUsers } from '../sources/sourceUsers.ts';
import { usesOfWorkload, type WorkloadUses } from '../sources/workloadUses.ts';
import { createAnnotationReporter } from './reportAnnotations.ts';
import type { WorkloadLogic } from './workloadActor.ts';
import type { WorkloadListener, WorkloadUpdate } from './workloadSinks.ts';

/** The managed workloads: a `workload` actor each, every one a root actor. */
interface Workloads extends Required<WorkloadListener> {
  get(id: string): WorkloadEntry | undefined;
  /** A source was created, changed or deleted. */
  sourceChanged(source: SourceRef): void;
  /** The objects of this stream are known from now on, so an object that it has not delivered does not exist. */
  streamRead(stream: ReadStream): void;
  configChanged(): void;
  /** Handles the updates of Jobs that came while the Jobs were locked. */
  resume(): void;
  /** Something that concerns every workload has changed. */
  reassessAll(): void;
  /** From now on there are actors, for workloads whose streams have been read. */
  start(): void;
  readonly isRunning: boolean;
  stop(): void;
  entries(): Iterable<WorkloadEntry>;
  readonly size: number;
  /** The number of ConfigMaps and Secrets that they use. */
  readonly usedSources: number;
}

interface WorkloadsOptions {
  readonly runtime: ActorRuntime;
  readonly logic: WorkloadLogic;
  readonly report: ReportRestart;
  readonly config: () => RestartConfig;
  /** The watched namespaces. */
  readonly namespaces: 'all' | readonly string[];
  /** In a dry run, stored states stay. */
  readonly isDryRun: boolean;
  readonly metaOf: (source: SourceRef) => SourceMeta | undefined;
  readonly hasRead: (source: SourceRef) => boolean;
  readonly hasReadWorkload: (workload: WorkloadRef) => boolean;
  readonly ownerOf: (summary: WorkloadSummary) => StateOwner;
  /** Undefined: the keys have not been read yet, or are not usable. */
  readonly keys: () => HashKeys | undefined;
  /** Called for each source of a workload that changes while the workload cannot be assessed. */
  readonly onUnassessed: (entry: WorkloadEntry, source: SourceRef) => void;
  /** Called for each source that is no longer used. */
  readonly onUnused: (source: SourceRef) => void;
  /** Called with all used sources when they have changed. */
  readonly onUsed: (sources: Iterable<SourceRef>) => void;
  readonly recreations: Pick<Recreations, 'isLocked' | 'previousUidOf'>;
  readonly latePods: Pick<LatePods, 'managed' | 'sourceChanged' | 'forget'>;
}

export function createWorkloads(options: WorkloadsOptions): Workloads {
  const { runtime, logic, report, config, isDryRun } = options;
  const { clock } = runtime;
  const updates = new Map<string, WorkloadUpdate>();
  const registry = createRegistry<WorkloadEntry>({
    added: (_id, entry) => resolveUses(entry),
    dropped(id, { written }) {
      clock.clearTimeout(written.timer);
      users.put(id, []);
      options.latePods.forget(id);
    },
    failed: (id, error) => report({ type: 'actor.failed', actor: `workload ${id}`, error }),
  });
  const users = createSourceUsers(options);
  const annotations = createAnnotationReporter(options);
  /** The workloads whose updates came while they were locked. */
  const postponed = new Set<string>();
  let isRunning = false;

  /** The stream may deliver a deletion before the response to its request: the response is handled first. */
  function isPostponed(id: string): boolean {
    const entry = registry.get(id);
    if (entry === undefined || !options.recreations.isLocked(entry.observed.summary.uid)) return false;
    postponed.add(id);
    return true;
  }

  /** Until a list is complete, it may lack objects that belong to a workload, such as the copy of a Job. */
  function updateIfRead(id: string, update: WorkloadUpdate): void {
    if (isRunning && options.hasReadWorkload(update.summary.ref)) applyUpdate(id, update);
  }

  function applyUpdate(id: string, received: WorkloadUpdate): void {
    const update = { ...received, summary: trustedSummary(received.summary, options.keys()) };
    const entry = registry.get(id);
    if (entry !== undefined && entry.observed.summary.uid !== update.summary.uid) {
      if (isPostponed(id)) return;
      registry.remove(id);
      applyUpdate(id, update);
    } else if (entry !== undefined) refresh(entry, update);
    // The state of a workload that is no longer managed is removed.
    else if (settingsFor(config(), update.summary) !== undefined || hasStaleState(update)) manage(id, update);
    else annotations.report(update.summary, undefined);
  }

  function hasStaleState({ summary }: WorkloadUpdate): boolean {
    if (isDryRun) return false;
    const owner = options.ownerOf(summary);
    // A workload that weeder has scaled to zero gets its pods back, unless another weeder is about to restore them.
    return summary.emptied === undefined ? summary.stateText !== undefined && owner === 'own' : owner !== 'foreign';
  }

  function refresh(entry: WorkloadEntry, { summary, uses }: WorkloadUpdate): void {
    const before = entry.observed;
    recordVersion(entry, before.summary, summary, clock.monotonic());
    resolveUses(entry, { summary, templateUses: uses });
    observeRemoval(clock, entry);
    const { settings } = entry.observed;
    if (settings !== before.settings)
      entry.actor.send({ type: 'config.changed', progressDeadline: deadlineOf(settings) });
    if (inputsOf(entry.observed) !== inputsOf(before)) entry.actor.send({ type: 'workload.changed' });
    for (const watcher of [...entry.watchers]) watcher();
  }

  function manage(id: string, { summary, uses }: WorkloadUpdate): void {
    const input = { workload: id, progressDeadline: deadlineOf(settingsFor(config(), summary)) };
    const entry: WorkloadEntry = {
      id,
      actor: createActor(logic, { ...runtime, id, input }),
      observed: { summary, templateUses: uses, uses: [], settings: undefined, annotationErrors: [] },
      previousUid: options.recreations.previousUidOf(id),
      changes: { changedAt: clock.monotonic(), unquietSince: undefined },
      progress: initialProgress(summary, clock.monotonic()),
      finding: undefined,
      present: new Map(),
      contentHistory: new Map(),
      written: {},
      watchers: new Set(),
    };
    registry.add(id, entry);
    options.latePods.managed(entry);
  }

  /** Determines the uses that the config and the sources' annotations allow. */
  function resolveUses(
    entry: WorkloadEntry,
    { summary, templateUses }: Pick<Observed, 'summary' | 'templateUses'> = entry.observed,
  ): void {
    const settings = settingsFor(config(), summary);
    const uses: WorkloadUses =
      settings === undefined
        ? { uses: [], errors: [], notAllowed: [], notFollowed: [] }
        : usesOfWorkload(summary, templateUses, settings, config(), options, options.namespaces);
    entry.observed = { summary, templateUses, uses: uses.uses, settings, annotationErrors: uses.errors };
    users.put(entry.id, [...uses.uses, ...uses.notAllowed.map(notAllowedUse)]);
    annotations.report(summary, uses);
  }

  function deadlineOf(settings: RestartSettings | undefined): number {
    return (settings ?? config().defaults).progressDeadline;
  }

  function updateAll(): void {
    for (const [id, update] of updates) updateIfRead(id, update);
  }

  return {
    get: (id) => registry.get(id),
    knows(id, { uid, resourceVersion }) {
      return [updates.get(id)?.summary, registry.get(id)?.observed.summary].every(
        (summary) => summary?.uid === uid && summary.resourceVersion === resourceVersion,
      );
    },
    take(update) {
      const id = workloadKey(update.summary.ref);
      const before = updates.get(id)?.summary;
      // The response to a write may have been newer than what the stream delivers now.
      if (before?.uid === update.summary.uid && !isAtLeast(update.summary.resourceVersion, before.resourceVersion))
        return;
      updates.set(id, update);
      updateIfRead(id, update);
    },
    rewound(id) {
      const update = updates.get(id);
      if (update === undefined) return;
      updates.set(id, { ...update, summary: { ...update.summary, resourceVersion: oldestVersion } });
    },
    remove(id) {
      updates.delete(id);
      annotations.forget(id);
      if (!isPostponed(id)) registry.get(id)?.actor.send({ type: 'workload.deleted' });
    },
    sourceChanged(source) {
      for (const id of users.of(source)) {
        const entry = registry.get(id);
        if (entry === undefined) continue;
        // The source's own annotation may have changed: whether other namespaces may use it.
        resolveUses(entry);
        options.latePods.sourceChanged(entry, source);
        markSourceChange(entry, stateOf(entry), entry.observed.settings?.quietPeriod ?? 0, clock.monotonic());
        entry.actor.send({ type: 'workload.changed' });
        if (stateOf(entry) !== 'assessing') options.onUnassessed(entry, source);
      }
    },
    streamRead(stream) {
      for (const [id, update] of updates) if (bringsObject(stream, update.summary.ref)) updateIfRead(id, update);
      for (const entry of users
        .ofAll((source) => bringsObject(stream, source))
        .flatMap((id) => registry.get(id) ?? [])) {
        resolveUses(entry);
        entry.actor.send({ type: 'workload.changed' });
      }
    },
    configChanged() {
      updateAll();
    },
    resume() {
      const ids = [...postponed];
      postponed.clear();
      for (const id of ids) {
        const update = updates.get(id);
        if (update !== undefined) applyUpdate(id, update);
        else registry.get(id)?.actor.send({ type: 'workload.deleted' });
      }
    },
    reassessAll() {
      for (const { actor } of registry.entries()) actor.send({ type: 'workload.changed' });
    },
    start() {
      isRunning = true;
      updateAll();
    },
    stop() {
      isRunning = false;
      registry.stop();
    },
    get isRunning() {
      return isRunning;
    },
    entries: () => registry.entries(),
    get size() {
      return registry.size;
    },
    get usedSources() {
      return users.size;
    },
  };
}

/** The source is watched, because it may allow the use later. */
function notAllowedUse(source: SourceRef) {
  return { source, key: undefined, how: 'annotation', isOptional: false, containers: [] } as const;
}
