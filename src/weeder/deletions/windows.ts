import { createActor } from 'xstate';
import type { ActorRuntime } from '../../actors/actorRuntime.ts';
import { createRegistry } from '../../actors/registry.ts';
import { createDeletionRounds } from './deletionRounds.ts';
import { type WindowRef, windowRefOf } from './weederEvents.ts';
import { provideWindow, type WindowEffects } from './windowActor.ts';
import type { WindowEntry } from './windowEntry.ts';

type Service = Omit<WindowRef, 'window'>;

/** The windows of all services. Each has a `window` actor, which is a root: it may outlive the actor of its service. */
export interface Windows {
  /** Opens a window, which replaces the open one of its service. */
  open(ref: WindowRef, watchDuration: number): void;
  /** Withdraws the deletions that the open window of the service requests. */
  hold(service: Service): void;
  /** The config of the service has changed; the open window lasts for `remaining` milliseconds from now. */
  configure(service: Service, config: { readonly remaining: number; readonly whileNotReady: 'hold' | 'delete' }): void;
  /** The config no longer has the service. */
  remove(service: Service): void;
  closeAll(): void;
  /** The open window of a service, if it has one. */
  openOf(service: Service): Pick<WindowEntry, 'closesAt'> | undefined;
  /**
   * The number of the latest window of the service, even if the service has vanished since; 0: none. Numbers are never
   * reused.
   */
  lastOf(service: Service): number;
  actors(): Iterable<WindowEntry['actor']>;
  /** How many windows are open. */
  readonly size: number;
  /** How many windows are open or closing. */
  readonly actorCount: number;
}

interface WindowsOptions extends WindowEffects {
  readonly runtime: ActorRuntime;
  /** Called when the open window of the service closes, unless another one replaces it. */
  readonly onClosing: (service: Service) => void;
}

export function createWindows(options: WindowsOptions): Windows {
  const { runtime, clock, deletions, report, onClosing } = options;
  /** By service. */
  const openWindows = new Map<string, WindowEntry>();
  const numbers = new Map<string, number>();
  const registry = createRegistry<WindowEntry>({
    failed(_key, error, entry) {
      const { namespace, service, requests } = entry;
      report({ type: 'actor.failed', actor: `window of ${namespace}/${service}`, error });
      for (const request of requests) deletions.withdraw(request, 'over');
      leave(entry);
      closed(entry);
    },
  });
  const logic = provideWindow(options, { entryOf: (ref) => registry.get(windowKey(ref)), closing, closed });

  function leave(entry: WindowEntry): void {
    const key = serviceKey(entry);
    if (openWindows.get(key) !== entry) return;
    openWindows.delete(key);
    onClosing(entry);
  }

  function closing(entry: WindowEntry): void {
    leave(entry);
    if (entry.pending.size === 0) entry.actor.send({ type: 'outcomes.known' });
  }

  function closed(entry: WindowEntry): void {
    const { deleted, skipped, failed } = entry;
    const counts = { deleted: deleted.size, skipped: skipped.size, failed: [...failed] };
    report({ type: 'window.closed', ...windowRefOf(entry), ...counts });
  }

  return {
    open(ref, watchDuration) {
      const [key, openedAt] = [serviceKey(ref), clock.monotonic()];
      const replaced = openWindows.get(key);
      openWindows.delete(key);
      numbers.set(key, ref.window);
      deletions.handOver(() => {
        replaced?.actor.send({ type: 'window.close' });
        const id = windowKey(ref);
        const actor = createActor(logic, { ...runtime, id, input: { ...windowRefOf(ref), watchDuration } });
        const times = { openedAt, closesAt: openedAt + watchDuration, rounds: createDeletionRounds(clock) };
        const entry = { ...windowRefOf(ref), actor, ...times, requests: [], ...emptySets() };
        openWindows.set(key, entry);
        report({ type: 'window.opened', ...windowRefOf(ref), duration: watchDuration });
        registry.add(id, entry);
      });
    },
    hold: (service) => openWindows.get(serviceKey(service))?.actor.send({ type: 'window.hold' }),
    configure(service, { remaining, whileNotReady }) {
      const entry = openWindows.get(serviceKey(service));
      if (entry === undefined) return;
      entry.closesAt = clock.monotonic() + remaining;
      deletions.handOver(() => entry.actor.send({ type: 'config.changed', remaining, whileNotReady }));
    },
    remove: (service) => openWindows.get(serviceKey(service))?.actor.send({ type: 'service.removed' }),
    closeAll() {
      for (const { actor } of [...openWindows.values()]) actor.send({ type: 'window.close' });
    },
    openOf: (service) => openWindows.get(serviceKey(service)),
    lastOf: (service) => numbers.get(serviceKey(service)) ?? 0,
    actors: () => registry.actors(),
    get size() {
      return openWindows.size;
    },
    get actorCount() {
      return registry.size;
    },
  };
}

function serviceKey({ namespace, service }: Service): string {
  return `${namespace}/${service}`;
}

function windowKey(ref: WindowRef): string {
  return `${serviceKey(ref)}/window-${ref.window}`;
}

function emptySets() {
  const empty = () => new Set<string>();
  return { deleted: empty(), skipped: empty(), failed: empty(), pending: empty() };
}
