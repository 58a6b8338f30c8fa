import { type AnyActorRef, createActor } from 'xstate';
import type { ResourceMemory, resource } from '../../../machines/observer/resource.ts';
import type { ActorRuntime } from '../../actors/actorRuntime.ts';
import { createRegistry } from '../../actors/registry.ts';
import { memoryOf, type ResourceEntry } from '../entries/entries.ts';
import type { ReportObserver } from '../objects/events.ts';
import type { ResourceStreams } from './resourceStreams.ts';

/** A resource that has no actor yet. */
type Unstarted = Omit<ResourceEntry, 'actor'> & Partial<Pick<ResourceEntry, 'actor'>>;

/** The resources of the managed applications. Each has a `resource` actor, which is a root actor. */
export interface Resources {
  get(application: string, key: string): ResourceEntry | undefined;
  /** Gives the resource a running actor, unless it has one. If its actor has failed, the new one has its memory. */
  start(resource: Unstarted, memory: Partial<ResourceMemory>): ResourceEntry;
  /** Stops its actor, and the reports of its stream. */
  remove(resource: ResourceEntry): void;
  actors(): Iterable<AnyActorRef>;
}

interface ResourcesOptions {
  readonly runtime: ActorRuntime;
  readonly logic: () => typeof resource;
  readonly streams: Pick<ResourceStreams, 'remove'>;
  readonly report: ReportObserver;
}

export function createResources({ runtime, logic, streams, report }: ResourcesOptions): Resources {
  const registry = createRegistry<ResourceEntry>({
    dropped: (_id, entry) => streams.remove(entry),
    failed: (id, error) => report({ type: 'actor.failed', actor: `resource ${id}`, error }),
  });
  return {
    get: (application, key) => registry.get(`${application} ${key}`),
    start(entry, initial) {
      const { application, key, actor: failed } = entry;
      const id = `${application.id} ${key}`;
      const existing = registry.get(id);
      if (existing === entry) return existing;
      const memory = failed === undefined ? initial : memoryOf(failed);
      const input = { application: application.id, resource: key, memory };
      const actor = createActor(logic(), { ...runtime, id: `application/${id}`, input });
      const started = Object.assign(entry, { actor });
      registry.add(id, started);
      return started;
    },
    remove: ({ application, key }) => registry.remove(`${application.id} ${key}`),
    actors: registry.actors,
  };
}
