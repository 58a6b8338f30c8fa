import { type Actor, createActor } from 'xstate';
import type { ActorRuntime } from '../actorRuntime.ts';
import type { ServiceConfig } from '../config/config.ts';
import { type EndpointEffects, type EndpointLogic, provideEndpoint } from './endpointActor.ts';
import { keyOf, type ServiceReadiness } from './readiness.ts';

/** The services that were ready at least once: an `endpoint` actor each, every one a root of its own. */
export interface Endpoints {
  /** The service was ready already when weeder started. */
  foundReady(service: ServiceReadiness): void;
  /** It became ready or notReady, or lost its last slice. */
  changed(service: ServiceReadiness): void;
  /** It is ready, as it was before a gap in what weeder saw; epoch milliseconds. */
  readyAfterGap(service: ServiceReadiness, seenUntil: number): void;
  /** Ends every actor, and with them the open windows. */
  stop(): void;
  readonly size: number;
}

export interface EndpointsOptions extends EndpointEffects {
  readonly runtime: ActorRuntime;
  readonly services: ReadonlyMap<string, ServiceConfig>;
}

export function createEndpoints(options: EndpointsOptions): Endpoints {
  const { services, runtime, report, windows } = options;
  const actors = new Map<string, Actor<EndpointLogic>>();
  /** Services without a slice: their actor goes when its last window closes. */
  const gone = new Set<string>();
  const logic = provideEndpoint(options);

  function actorOf({ namespace, service }: ServiceReadiness): Actor<EndpointLogic> | undefined {
    const key = keyOf(namespace, service);
    const known = actors.get(key);
    const config = services.get(service);
    if (known !== undefined || config === undefined) return known;
    const { watchDuration, onStart, whileNotReady, podSelectors } = config;
    const settings = { selectors: podSelectors.length, watchDuration, onStart, whileNotReady };
    const input = { namespace, service, ...settings, windowsBefore: windows.countOf(namespace, service) };
    const actor = createActor(logic, { ...runtime, id: key, input });
    actors.set(key, actor);
    actor.subscribe({
      next: () => dropIfGone(key),
      error: (error) => {
        actors.delete(key);
        report({ type: 'actor.failed', actor: `endpoint ${key}`, error });
      },
    });
    actor.start();
    return actor;
  }

  /** An actor without slices and windows knows nothing that a new one is not told. */
  function dropIfGone(key: string): void {
    const actor = actors.get(key);
    if (!gone.has(key) || actor === undefined || !actor.getSnapshot().matches({ notReady: 'idle' })) return;
    gone.delete(key);
    actors.delete(key);
    actor.stop();
  }

  return {
    foundReady: (service) => actorOf(service)?.send({ type: 'endpoint.foundReady' }),
    readyAfterGap: (service, seenUntil) => actorOf(service)?.send({ type: 'endpoint.foundReady', seenUntil }),
    changed(service) {
      const key = keyOf(service.namespace, service.service);
      if (service.exists) gone.delete(key);
      else gone.add(key);
      if (service.isReady) actorOf(service)?.send({ type: 'endpoint.ready' });
      else actors.get(key)?.send({ type: 'endpoint.notReady' });
      dropIfGone(key);
      if (!actors.has(key)) gone.delete(key);
    },
    stop() {
      for (const actor of actors.values()) actor.stop();
      actors.clear();
      gone.clear();
    },
    get size() {
      return actors.size;
    },
  };
}
