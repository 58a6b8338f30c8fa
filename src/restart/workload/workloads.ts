import { createActor } from 'xstate';
import type { ActorRuntime } from '../../actors/actorRuntime.ts';
import type { RestartConfig, RestartSettings } from '../../config/restart.ts';
import { isAtLeast } from '../../kube/objects/resourceVersion.ts';
import type { HashKeys } from '../digest/hashKeys.ts';
import { noteSourceChange, stateOf, type WorkloadEntry } from '../effects/workloadEntry.ts';
import type { Recreations } from '../jobs/recreations.ts';
import type { ReportRestart } from '../model/events.ts';
import { type SourceRef, type WorkloadRef, workloadKey } from '../model/refs.ts';
import type { SourceMeta } from '../model/sourceMeta.ts';
import type { WorkloadFacts } from '../model/workloadFacts.ts';
import { observedTemplateOf, rolloutOf } from '../pods/rollout.ts';
import { settingsFor } from '../sources/managed.ts';
import { bringsObject, type ReadStream } from '../sources/restartStreamPlan.ts';
import { createSourceUsers } from '../sources/sourceUsers.ts';
import { usesOfWorkload, type WorkloadUses } from '../sources/workloadUses.ts';
import { believed, type StateOwner } from '../state/stateOwner.ts';
import { createFaultTeller } from './reportAnnotations.ts';
import type { WorkloadLogic } from './workloadActor.ts';
import type { WorkloadListener, WorkloadNews } from './workloadSinks.ts';

/** The workloads that are managed: a `workload` actor each, every one a root of its own. */
interface Workloads extends WorkloadListener {
  get(id: string): WorkloadEntry | undefined;
  /** A source came, went, or has another version. */
  sourceChanged(source: SourceRef): void;
  /** What this stream brings is known from now on, so what it does not bring does not exist. */
  streamRead(stream: ReadStream): void;
  configChanged(): void;
  /** What was told of a workload while it was held is acted upon. */
  resume(): void;
  /** Something that concerns every workload is another one now. */
  tellAll(): void;
  /** From now on there are actors, for workloads whose stream has been read. */
  start(): void;
  readonly isRunning: boolean;
  stop(): void;
  entries(): Iterable<WorkloadEntry>;
  readonly size: number;
  /** How many ConfigMaps and Secrets they use. */
  readonly usedSources: number;
}

interface WorkloadsOptions {
  readonly runtime: ActorRuntime;
  readonly logic: WorkloadLogic;
  readonly report: ReportRestart;
  readonly config: () => RestartConfig;
  /** Those that are watched. */
  readonly namespaces: 'all' | readonly string[];
  /** What is written stays. */
  readonly isDryRun: boolean;
  readonly metaOf: (source: SourceRef) => SourceMeta | undefined;
  readonly hasRead: (source: SourceRef) => boolean;
  readonly hasReadWorkload: (workload: WorkloadRef) => boolean;
  readonly ownerOf: (facts: WorkloadFacts) => StateOwner;
  /** Undefined: not read yet, or not usable. */
  readonly keys: () => HashKeys | undefined;
  /** Told of each source of a workload that is another one while it is not the time to assess that. */
  readonly onUnassessed: (entry: WorkloadEntry, source: SourceRef) => void;
  /** Told of each source that nobody uses any more. */
  readonly onUnused: (source: SourceRef) => void;
  /** Told of all that are used, when they have become others. */
  readonly onUsed: (sources: Iterable<SourceRef>) => void;
  readonly recreations: Pick<Recreations, 'isHeld' | 'formerUidOf'>;
}

export function createWorkloads(options: WorkloadsOptions): Workloads {
  const { runtime, logic, report, config, isDryRun } = options;
  const { clock } = runtime;
  const known = new Map<string, WorkloadNews>();
  const entries = new Map<string, WorkloadEntry>();
  const users = createSourceUsers(options);
  const faults = createFaultTeller(options);
  /** Told of while they were held. */
  const postponed = new Set<string>();
  let isRunning = false;

  /** Its deletion may be told before the answer that it was asked for: who asked hears the answer first. */
  function isPostponed(id: string): boolean {
    const entry = entries.get(id);
    if (entry === undefined || !options.recreations.isHeld(entry.facts.uid)) return false;
    postponed.add(id);
    return true;
  }

  /** A list that is not complete may lack what belongs to a workload, such as the copy of a Job. */
  function lookIfRead(id: string, news: WorkloadNews): void {
    if (isRunning && options.hasReadWorkload(news.facts.ref)) look(id, news);
  }

  function look(id: string, told: WorkloadNews): void {
    const news = { ...told, facts: believed(told.facts, options.keys()) };
    const entry = entries.get(id);
    if (entry !== undefined && entry.facts.uid !== news.facts.uid) {
      if (isPostponed(id)) return;
      forget(id);
      look(id, news);
    } else if (entry !== undefined) renew(entry, news);
    // What is written on a workload that is no longer managed is taken away.
    else if (settingsFor(config(), news.facts) !== undefined || isLeftOver(news)) begin(id, news);
    else faults.tell(news.facts, undefined);
  }

  function isLeftOver({ facts }: WorkloadNews): boolean {
    if (isDryRun) return false;
    const owner = options.ownerOf(facts);
    // One without pods because of weeder gets them back, unless another one is about to.
    return facts.emptied === undefined ? facts.stateText !== undefined && owner === 'own' : owner !== 'foreign';
  }

  function renew(entry: WorkloadEntry, { facts, uses }: WorkloadNews): void {
    const before = concernOf(entry);
    const { settings } = entry;
    if (motionOf(facts) !== motionOf(entry.facts)) entry.movedAt = clock.monotonic();
    entry.facts = facts;
    entry.observedTemplate = observedTemplateOf(facts) ?? entry.observedTemplate;
    entry.templateUses = uses;
    settle(entry);
    if (entry.settings !== settings)
      entry.actor.send({ type: 'config.changed', ...timesOf(entry.settings ?? config().defaults) });
    if (concernOf(entry) !== before) entry.actor.send({ type: 'facts.changed' });
    for (const watcher of [...entry.watchers]) watcher();
  }

  function begin(id: string, { facts, uses }: WorkloadNews): void {
    const input = { workload: id, ...timesOf(settingsFor(config(), facts) ?? config().defaults) };
    const entry: WorkloadEntry = {
      id,
      actor: createActor(logic, { ...runtime, id, input }),
      facts,
      formerUid: options.recreations.formerUidOf(id),
      templateUses: uses,
      settings: undefined,
      uses: [],
      faults: [],
      changedAt: clock.monotonic(),
      unquietSince: undefined,
      observedTemplate: observedTemplateOf(facts),
      movedAt: clock.monotonic(),
      awaitsRolloutSince: undefined,
      restartedFor: undefined,
      finding: undefined,
      present: new Map(),
      spells: new Map(),
      cause: 'other',
      hasRestarted: false,
      pretended: undefined,
      hasWrittenState: false,
      contest: undefined,
      watchers: new Set(),
    };
    entries.set(id, entry);
    settle(entry);
    entry.actor.subscribe({
      complete: () => forget(id),
      error: (error) => {
        forget(id);
        report({ type: 'actor.failed', actor: `workload ${id}`, error });
      },
    });
    entry.actor.start();
  }

  /** What the config and the sources' own words make of it. */
  function settle(entry: WorkloadEntry): void {
    const { facts, templateUses } = entry;
    entry.settings = settingsFor(config(), facts);
    const found: WorkloadUses =
      entry.settings === undefined
        ? { uses: [], faults: [], notAllowed: [], notFollowed: [] }
        : usesOfWorkload(facts, templateUses, entry.settings, config(), options, options.namespaces);
    entry.uses = found.uses;
    entry.faults = found.faults;
    users.put(entry.id, [...found.uses, ...found.notAllowed.map(notAllowedUse)]);
    faults.tell(facts, found);
  }

  function forget(id: string): void {
    const entry = entries.get(id);
    if (entry === undefined) return;
    entries.delete(id);
    clock.clearTimeout(entry.contest?.timer);
    users.put(id, []);
    entry.actor.stop();
  }

  function lookAtAll(): void {
    for (const [id, news] of known) lookIfRead(id, news);
  }

  return {
    get: (id) => entries.get(id),
    knows(id, { uid, resourceVersion }) {
      const facts = entries.get(id)?.facts;
      return facts?.uid === uid && facts.resourceVersion === resourceVersion;
    },
    take(news) {
      const id = workloadKey(news.facts.ref);
      const before = known.get(id)?.facts;
      // The answer to a write may have told of a newer version than its stream tells of now.
      if (before?.uid === news.facts.uid && !isAtLeast(news.facts.resourceVersion, before.resourceVersion)) return;
      known.set(id, news);
      lookIfRead(id, news);
    },
    remove(id) {
      known.delete(id);
      faults.forget(id);
      if (!isPostponed(id)) entries.get(id)?.actor.send({ type: 'workload.gone' });
    },
    sourceChanged(source) {
      for (const id of users.of(source)) {
        const entry = entries.get(id);
        if (entry === undefined) continue;
        // Its own word may be what has changed: whether other namespaces may use it.
        settle(entry);
        noteSourceChange(entry, clock.monotonic());
        entry.actor.send({ type: 'facts.changed' });
        if (stateOf(entry) !== 'assessing') options.onUnassessed(entry, source);
      }
    },
    streamRead(stream) {
      for (const [id, news] of known) if (bringsObject(stream, news.facts.ref)) lookIfRead(id, news);
      for (const entry of users
        .ofAll((source) => bringsObject(stream, source))
        .flatMap((id) => entries.get(id) ?? [])) {
        settle(entry);
        entry.actor.send({ type: 'facts.changed' });
      }
    },
    configChanged() {
      lookAtAll();
    },
    resume() {
      const ids = [...postponed];
      postponed.clear();
      for (const id of ids) {
        const news = known.get(id);
        if (news !== undefined) look(id, news);
        else entries.get(id)?.actor.send({ type: 'workload.gone' });
      }
    },
    tellAll() {
      for (const { actor } of entries.values()) actor.send({ type: 'facts.changed' });
    },
    start() {
      isRunning = true;
      lookAtAll();
    },
    stop() {
      isRunning = false;
      for (const id of [...entries.keys()]) forget(id);
    },
    get isRunning() {
      return isRunning;
    },
    entries: () => entries.values(),
    get size() {
      return entries.size;
    },
    get usedSources() {
      return users.size;
    },
  };
}

/** How far which rollout is: whoever writes into a workload all the time does not move it. */
function motionOf(facts: WorkloadFacts): string {
  const progress = rolloutOf({ ...facts, generation: 0 });
  return JSON.stringify([progress, facts.templateHash, facts.templateAnnotation, facts.isPaused]);
}

function timesOf({ quietPeriod, quietMax, progressDeadline }: RestartSettings) {
  return { quietPeriod, quietMax, progressDeadline };
}

/** It is listened to: it may consent later. */
function notAllowedUse(source: SourceRef) {
  return { source, key: undefined, how: 'annotation', isOptional: false, containers: [] } as const;
}

/** Everything of a workload that decides: where it is the same, nothing has to be found out anew. */
function concernOf({ facts, settings, uses, faults }: WorkloadEntry): string {
  const { templateHash, templateAnnotation, stateText, pausedUntil, isPaused, isEnding, job, emptied } = facts;
  const own = [templateHash, templateAnnotation, stateText, pausedUntil, isPaused, isEnding, job, emptied];
  return JSON.stringify([...own, settings, uses, faults]);
}
