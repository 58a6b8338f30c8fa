import { type Actor, createActor } from 'xstate';
import type { ActorRuntime } from '../../actors/actorRuntime.ts';
import { createRegistry } from '../../actors/registry.ts';
import { behavesTheSame } from '../../config/compare.ts';
import type { ServiceLookup, WatchedService } from '../../config/serviceLookup.ts';
import { type EndpointEffects, type EndpointLogic, provideEndpoint } from './endpointActor.ts';
import type { ServiceReadiness } from './readiness.ts';
import { keyOf } from './sliceView.ts';

/** The services that were ready at least once. Each has an `endpoint` actor, which is a root. */
interface Endpoints {
  /** The service was ready when weeder started. */
  foundReady(service: ServiceReadiness): void;
  /** The service became ready or not ready, or lost its last slice. */
  changed(service: ServiceReadiness): void;
  /** The service is ready, as it was before a gap in the stream; `seenUntil`: epoch milliseconds. */
  readyAfterGap(service: ServiceReadiness, seenUntil: number): void;
  /**
   * Applies the difference between `before` and the current `services`. Services whose config is equal in both are left
   * alone.
   */
  configure(before: ServiceLookup): void;
  /** The open window of the service is over. */
  windowClosed(service: Pick<ServiceReadiness, 'namespace' | 'service'>): void;
  /** Stops every actor. */
  stop(): void;
  actors(): Iterable<Actor<EndpointLogic>>;
  readonly size: number;
}

interface EndpointsOptions extends EndpointEffects {
  readonly runtime: ActorRuntime;
}

export function createEndpoints(options: EndpointsOptions): Endpoints {
  const { services, runtime, report, windows, clock } = options;
  const registry = createRegistry<{ readonly actor: Actor<EndpointLogic> }>({
    changed: removeIfIdle,
    failed: (key, error) => report({ type: 'actor.failed', actor: `endpoint ${key}`, error }),
  });
  /** Services without a slice: their actor is removed when its last window closes. */
  const withoutSlices = new Set<string>();
  const logic = provideEndpoint(options);

  function actorOf({ namespace, service }: ServiceReadiness): Actor<EndpointLogic> | undefined {
    const key = keyOf(namespace, service);
    const known = registry.get(key)?.actor;
    const config = services(namespace, service);
    if (known !== undefined || config === undefined) return known;
    const { watchDuration, onStart, whileNotReady } = config;
    const lastWindow = windows.lastOf({ namespace, service });
    const input = { namespace, service, lastWindow, watchDuration, onStart, whileNotReady };
    const actor = createActor(logic, { ...runtime, id: key, input });
    registry.add(key, { actor });
    return actor;
  }

  /** An actor without slices and windows has no state that a new one would lack. */
  function removeIfIdle(key: string): void {
    const actor = registry.get(key)?.actor;
    if (!withoutSlices.has(key) || actor === undefined || !actor.getSnapshot().matches({ notReady: 'idle' })) return;
    withoutSlices.delete(key);
    registry.remove(key);
  }

  /** The service was removed from the config: its window closes, and deletions that were not sent are dropped. */
  function end(key: string): void {
    registry.remove(key);
    withoutSlices.delete(key);
    windows.remove(serviceOf(key));
  }

  /** An open window still counts from the recovery of its service, with the new watchDuration. */
  function change(key: string, was: WatchedService, is: WatchedService): void {
    const { watchDuration, onStart, whileNotReady } = is;
    const began = (windows.openOf(serviceOf(key))?.closesAt ?? 0) - was.watchDuration;
    const remaining = Math.max(0, began + watchDuration - clock.monotonic());
    registry.get(key)?.actor.send({ type: 'config.changed', watchDuration, onStart, whileNotReady, remaining });
  }

  return {
    configure(before) {
      const known = [...registry.keys()].map((key) => {
        const { namespace, service } = serviceOf(key);
        return { key, was: before(namespace, service), is: services(namespace, service) };
      });
      // Removed services come first: a deletion that is no longer requested must not start because of the other
      // changes.
      for (const { key, is } of known) if (is === undefined) end(key);
      for (const { key, was, is } of known) {
        if (was !== undefined && is !== undefined && !behavesTheSame(was, is)) change(key, was, is);
      }
    },
    foundReady: (service) => actorOf(service)?.send({ type: 'endpoint.foundReady' }),
    readyAfterGap: (service, seenUntil) => actorOf(service)?.send({ type: 'endpoint.foundReady', seenUntil }),
    changed(service) {
      const key = keyOf(service.namespace, service.service);
      if (service.exists) withoutSlices.delete(key);
      else withoutSlices.add(key);
      if (service.isReady) actorOf(service)?.send({ type: 'endpoint.ready' });
      else registry.get(key)?.actor.send({ type: 'endpoint.notReady' });
      removeIfIdle(key);
      if (registry.get(key) === undefined) withoutSlices.delete(key);
    },
    windowClosed: ({ namespace, service }) =>
      registry.get(keyOf(namespace, service))?.actor.send({ type: 'window.closed' }),
    stop() {
      registry.stop();
      withoutSlices.clear();
    },
    actors: () => registry.actors(),
    get size() {
      return registry.size;
    },
  };
}

function serviceOf(key: string): { readonly namespace: string; readonly service: string } {
  const [namespace = '', service = ''] = key.split('/');
  return { namespace, service };
}
