import type { TimerHandle } from '@weeder/kube-runtime/base';
import { type AnyActorRef, createActor, type StateValue } from 'xstate';
import type { ActorRuntime } from '../../actors/actorRuntime.ts';
import { createRegistry } from '../../actors/registry.ts';
import { track } from '../../base/promises.ts';
import { tally } from '../../base/tally.ts';
import { createEntry } from '../entries/createEntry.ts';
import { type ApplicationEntry, isObserved, memoryOf } from '../entries/entries.ts';
import { createKeptObjects } from '../entries/keptObjects.ts';
import type { ReportObserver } from '../objects/events.ts';
import type { Application } from '../spec/application.ts';
import type { ApplicationLimits } from '../spec/applicationLimits.ts';
import { unknownGeneration } from '../spec/readApplication.ts';
import type { ApplicationApi } from '../status/applicationApi.ts';
import type { StatusWriter } from '../status/statusWriter.ts';
import type { Resources } from '../streams/resources.ts';
import type { ApplicationLogic } from './applicationActor.ts';
import type { ApplicationListener } from './applicationStream.ts';
import { type KnownApplication, knownApplications } from './knownApplications.ts';

/** The managed applications. Each has an `application` actor, which is a root actor. */
interface Applications extends ApplicationListener {
  get(id: string): ApplicationEntry | undefined;
  /** Sets new limits for the applications of a namespace. */
  limit(limits: ApplicationLimits): void;
  /** Starts the actors. */
  start(): void;
  stop(): void;
  entries(): Iterable<ApplicationEntry>;
  /** Returns the actors of applications and of their resources. */
  actors(): Iterable<AnyActorRef>;
  readonly isRunning: boolean;
  readonly size: number;
  /** The number of observed resources. */
  readonly observed: number;
  /** Returns the requests in flight, including those of applications that have ended. */
  inFlight(): Iterable<Promise<unknown>>;
  counts(): {
    readonly applications: Readonly<Record<string, number>>;
    readonly resources: Readonly<Record<string, number>>;
  };
}

interface ApplicationsOptions {
  readonly runtime: ActorRuntime;
  readonly logic: ApplicationLogic;
  readonly report: ReportObserver;
  readonly resources: Resources;
  readonly status: StatusWriter;
  readonly api: Pick<ApplicationApi, 'read'>;
  readonly limits: ApplicationLimits;
}

/** The delay before an application that could not be read is read again, in milliseconds. */
const readAgainAfter = 30_000;

export function createApplications(options: ApplicationsOptions): Applications {
  const { runtime, logic, report, resources, status, api, limits } = options;
  const accepted = knownApplications(limits);
  /** The requests in flight of applications that have ended. */
  const leaving = new Set<Promise<unknown>>();
  const registry = createRegistry<ApplicationEntry>({
    dropped(_id, entry) {
      for (const work of entry.inFlight) track(leaving, work);
      status.forget(entry);
      for (const resource of entry.resources.values()) resources.remove(resource);
    },
    failed: (id, error) => report({ type: 'actor.failed', actor: `application ${id}`, error }),
  });
  /** Applications that are read again later, by id. */
  const readLater = new Map<string, TimerHandle>();
  const keptObjects = createKeptObjects();
  let isRunning = false;

  function reconcileAll(ids: Iterable<string>): void {
    if (!isRunning) return;
    for (const id of ids) {
      const latest = accepted.get(id);
      if (latest === undefined) continue;
      if (accepted.needsRead(id)) track(leaving, readAgain(id, latest.application));
      else reconcile(id, latest);
    }
  }

  /** The spec of a refused application was dropped from memory, so it is read again. */
  async function readAgain(id: string, application: Application): Promise<void> {
    const read = await api.read(application);
    if (!isRunning || !accepted.needsRead(id)) return;
    if (read.ok) reconcileAll(accepted.take(id, read.value));
    else if (read.failure.type !== 'missing') {
      runtime.clock.clearTimeout(readLater.get(id));
      readLater.set(id, runtime.clock.setTimeout(retry, readAgainAfter));
    }

    function retry(): void {
      readLater.delete(id);
      reconcileAll([id]);
    }
  }

  function reconcile(id: string, latest: KnownApplication): void {
    const entry = registry.get(id);
    if (entry !== undefined && entry.about.uid !== latest.application.uid) {
      registry.remove(id);
      add(id, latest);
    } else if (entry === undefined) add(id, latest);
    else update(entry, latest);
  }

  /** A change of only the status is passed to the status writer. */
  function update(entry: ApplicationEntry, { application, status: reported }: KnownApplication): void {
    const before = concernOf(entry.newest);
    entry.newest = application;
    status.observed(entry, reported);
    if (concernOf(application) !== before) entry.actor.send({ type: 'application.changed' });
  }

  function add(id: string, { application, status: recordedStatus }: KnownApplication): void {
    const actor = createActor(logic, { ...runtime, id: `application/${id}`, input: { application: id } });
    registry.add(id, createEntry(application, recordedStatus, actor, keptObjects));
  }

  return {
    get: (id) => registry.get(id),
    take: (id, object) => reconcileAll(accepted.take(id, object)),
    rewound(id) {
      accepted.rewound(id);
      const entry = registry.get(id);
      if (entry !== undefined) entry.newest = { ...entry.newest, generation: unknownGeneration };
    },
    remove(id) {
      const others = accepted.remove(id);
      registry.get(id)?.actor.send({ type: 'application.deleted' });
      reconcileAll(others);
    },
    limit: (next) => reconcileAll(accepted.limit(next)),
    start() {
      isRunning = true;
      reconcileAll([...accepted.ids()]);
    },
    stop() {
      isRunning = false;
      for (const timer of readLater.values()) runtime.clock.clearTimeout(timer);
      readLater.clear();
      registry.stop();
    },
    entries: () => registry.entries(),
    *actors() {
      yield* registry.actors();
      yield* resources.actors();
    },
    get isRunning() {
      return isRunning;
    },
    get size() {
      return registry.size;
    },
    get observed() {
      let count = 0;
      for (const { resources } of registry.entries())
        for (const resource of resources.values()) if (isObserved(resource)) count += 1;
      return count;
    },
    *inFlight() {
      yield* leaving;
      for (const entry of registry.entries()) yield* entry.inFlight;
    },
    counts() {
      const entries = [...registry.entries()];
      const resources = entries.flatMap((entry) => [...entry.resources.values()]);
      return {
        applications: tally(entries.map(({ actor }) => nameOf(actor.getSnapshot().value))),
        resources: tally(
          resources.map((its) => (isObserved(its) ? nameOf(its.actor.getSnapshot().value) : memoryOf(its.actor).state)),
        ),
      };
    },
  };
}

/** There is nothing new to decide while this text is the same. */
function concernOf({ generation, isTerminating, isForced, refusal }: Application): string {
  return JSON.stringify([generation, isTerminating, isForced, refusal]);
}

/** Returns the outermost name of a state. */
function nameOf(value: StateValue): string {
  return typeof value === 'string' ? value : (Object.keys(value)[0] ?? '');
}
