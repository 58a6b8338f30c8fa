import { keyOf, partsOf, selectorToString } from '@weeder/kube-runtime/objects';
import { type Actor, createActor, type SnapshotFrom } from 'xstate';
import type { ActorRuntime } from '../../actors/actorRuntime.ts';
import { createRegistry } from '../../actors/registry.ts';
import { behavesTheSame } from '../../config/compare.ts';
import type { ServiceLookup, WatchedService } from '../../config/serviceLookup.ts';
import { type EndpointEffects, type EndpointLogic, provideEndpoint } from './endpointActor.ts';
import type { Outages } from './outages.ts';
import type { ServiceReadiness } from './serviceRecords.ts';

/** The services that have had a window or were ready. Each has an `endpoint` actor, which is a root. */
export interface Endpoints {
  /** The service was ready when weeder started. */
  foundReady(service: ServiceReadiness): void;
  /** The service became ready or went down, or lost its last slice. */
  changed(service: ServiceReadiness): void;
  /** A service that is not ready is watched now, or it has endpoints now, or none any more. */
  unready(service: ServiceReadiness): void;
  /** The service is ready, as it was before a gap in the stream; `seenUntil`: epoch milliseconds. */
  readyAfterGap(service: ServiceReadiness, seenUntil: number): void;
  /**
   * A dependant runs again, while the EndpointSlices of the service have said the same all the time. A window opens,
   * unless one is open, or they say that the service is down. Returns whether it has.
   */
  dependantRecovered(service: ServiceReadiness, because: string): boolean;
  /**
   * Applies the difference between `before` and the current `services`. Services whose config is equal in both are left
   * alone.
   */
  configure(before: ServiceLookup): void;
  /** Closes every window. The actors end when the outcomes of the deletions in flight are known. */
  stop(): void;
  windowOf(namespace: string, service: string): WindowState;
  actors(): Iterable<Actor<EndpointLogic>>;
  readonly size: number;
  /** How many windows are open. */
  openWindows(): number;
  /** How many children the actors have: those of open windows, and of windows that close. */
  dependants(): number;
}

/** `held`: it is open, and its deletions wait, because the service is down again. */
type WindowState = 'none' | 'open' | 'held';

interface Service {
  readonly namespace: string;
  readonly service: string;
}

interface EndpointsOptions extends EndpointEffects {
  readonly runtime: ActorRuntime;
  readonly outages: Outages;
}

export function createEndpoints(options: EndpointsOptions): Endpoints {
  const { services, runtime, report, clock, outages } = options;
  const registry = createRegistry<{ readonly actor: Actor<EndpointLogic> }>({
    changed: removeIfIdle,
    dropped(key, { actor }) {
      numbers.set(key, actor.getSnapshot().context.window);
      withoutSlices.delete(key);
      neverReady.delete(key);
      if (!isConfiguring) outages.ended(serviceOf(key));
    },
    failed: (key, error) => report({ type: 'actor.failed', actor: `endpoint ${key}`, error }),
  });
  /**
   * A config is put into force: what waits for a service that it removes may be requested by a window of another, which
   * is about to close as well.
   */
  let isConfiguring = false;
  /** Services without a slice: their actor is removed when its last window closes. */
  const withoutSlices = new Set<string>();
  /** Services whose actor was created for a dependant that runs again. */
  const neverReady = new Set<string>();
  /** The number of the newest window of each service whose actor was removed: numbers are never reused. */
  const numbers = new Map<string, number>();
  const logic = provideEndpoint(options);

  function actorOf({ namespace, service }: ServiceReadiness): Actor<EndpointLogic> | undefined {
    const key = keyOf(namespace, service);
    const existing = registry.get(key)?.actor;
    const config = services(namespace, service);
    if (config === undefined) return undefined;
    if (existing !== undefined) {
      // The config may have the service again, while its windows still close.
      if (existing.getSnapshot().matches('closing')) existing.send({ type: 'config.changed', ...settingsOf(config) });
      return existing;
    }
    const input = { namespace, service, lastWindow: numbers.get(key) ?? 0, now: clock.monotonic };
    const actor = createActor(logic, { ...runtime, id: key, input: { ...input, ...settingsOf(config) } });
    registry.add(key, { actor });
    return actor;
  }

  /** An actor without slices and windows has no state that a new one would lack. */
  function removeIfIdle(key: string): void {
    const snapshot = registry.get(key)?.actor.getSnapshot();
    if (!withoutSlices.has(key) || snapshot?.matches({ notReady: 'idle' }) !== true) return;
    if (snapshot.context.windows.length === 0) registry.remove(key);
  }

  function updateOutage(service: ServiceReadiness): void {
    const key = keyOf(service.namespace, service.service);
    if (service.isReady) neverReady.delete(key);
    const wasReady = registry.get(key) !== undefined && !neverReady.has(key);
    if (service.isReady || !service.exists || !(wasReady || service.isStarting)) outages.ended(service);
    else outages.began(service, wasReady);
  }

  function windowOf(namespace: string, service: string): WindowState {
    const snapshot = registry.get(keyOf(namespace, service))?.actor.getSnapshot();
    if (snapshot?.hasTag('windowOpen') !== true) return 'none';
    return snapshot.matches({ notReady: 'holding' }) ? 'held' : 'open';
  }

  function count(of: (snapshot: SnapshotFrom<EndpointLogic>) => number): number {
    let sum = 0;
    for (const actor of registry.actors()) sum += of(actor.getSnapshot());
    return sum;
  }

  return {
    configure(before) {
      const settings = [...registry.keys()].map((key) => {
        const { namespace, service } = serviceOf(key);
        return { key, was: before(namespace, service), is: services(namespace, service) };
      });
      isConfiguring = true;
      // Removed services come first: a deletion that is no longer requested must not start because of the other
      // changes.
      for (const { key, is } of settings) {
        if (is === undefined) registry.get(key)?.actor.send({ type: 'service.removed' });
      }
      for (const { key, was, is } of settings) {
        if (was !== undefined && is !== undefined && !behavesTheSame(was, is))
          registry.get(key)?.actor.send({ type: 'config.changed', ...settingsOf(is) });
      }
      isConfiguring = false;
      outages.refresh();
    },
    foundReady(service) {
      const key = keyOf(service.namespace, service.service);
      neverReady.delete(key);
      withoutSlices.delete(key);
      // It has EndpointSlices now.
      const isAssumed = registry.get(key)?.actor.getSnapshot().matches({ notReady: 'assumedReady' }) === true;
      actorOf(service)?.send({ type: isAssumed ? 'endpoint.ready' : 'endpoint.foundReady' });
    },
    readyAfterGap: (service, seenUntil) => actorOf(service)?.send({ type: 'endpoint.foundReady', seenUntil }),
    changed(service) {
      const key = keyOf(service.namespace, service.service);
      if (service.exists) withoutSlices.delete(key);
      else withoutSlices.add(key);
      // Before the service holds or releases its own deletions, because another window may take them over.
      updateOutage(service);
      if (service.isReady) actorOf(service)?.send({ type: 'endpoint.ready' });
      else registry.get(key)?.actor.send({ type: 'endpoint.notReady' });
      removeIfIdle(key);
      if (registry.get(key) === undefined) withoutSlices.delete(key);
    },
    unready(service) {
      updateOutage(service);
      const actor = registry.get(keyOf(service.namespace, service.service))?.actor;
      if (service.exists && actor?.getSnapshot().matches({ notReady: 'assumedReady' }) === true)
        actor.send({ type: 'endpoint.notReady' });
    },
    dependantRecovered(service, because) {
      const { namespace, service: name, exists, isReady } = service;
      const key = keyOf(namespace, name);
      const isNew = registry.get(key) === undefined;
      if ((exists && (isNew || !isReady)) || windowOf(namespace, name) !== 'none') return false;
      actorOf(service)?.send({ type: 'dependant.recovered', because });
      if (isNew && registry.get(key) !== undefined) {
        neverReady.add(key);
        withoutSlices.add(key);
      }
      return windowOf(namespace, name) === 'open';
    },
    stop() {
      for (const actor of [...registry.actors()]) actor.send({ type: 'weeder.stopped' });
    },
    windowOf,
    openWindows: () => count(({ context: { closesAt } }) => (closesAt > 0 ? 1 : 0)),
    dependants: () =>
      count(({ context: { windows } }) => windows.reduce((sum, { children }) => sum + children.length, 0)),
    actors: () => registry.actors(),
    get size() {
      return registry.size;
    },
  };
}

function settingsOf({ podSelectors, declaredIn, isOfWebhook, watchDuration, onStart, whileNotReady }: WatchedService) {
  const selectors = [...new Set(podSelectors.map(selectorToString))];
  const scopes = { podSelectors: selectors, isDeclared: declaredIn !== 'none', isOfWebhook };
  return { ...scopes, watchDuration, onStart, whileNotReady };
}

function serviceOf(key: string): Service {
  const { namespace, name } = partsOf(key);
  return { namespace, service: name };
}
