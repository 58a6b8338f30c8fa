import { type Actor, createActor } from 'xstate';
import type { ActorRuntime } from '../../actors/actorRuntime.ts';
import { behavesTheSame } from '../../config/compare.ts';
import { isWatched, type ServiceConfig } from '../../config/config.ts';
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
  configure(before: ReadonlyMap<string, ServiceConfig>): void;
  /** Stops every actor, which closes the open windows. */
  stop(): void;
  actors(): Iterable<Actor<EndpointLogic>>;
  readonly size: number;
  /** The number of their child actors: one for each podSelector of each open window. */
  readonly dependants: number;
}

interface EndpointsOptions extends EndpointEffects {
  readonly runtime: ActorRuntime;
  readonly services: ReadonlyMap<string, ServiceConfig>;
}

export function createEndpoints(options: EndpointsOptions): Endpoints {
  const { services, runtime, report, windows, clock } = options;
  const actors = new Map<string, Actor<EndpointLogic>>();
  /** Services without a slice: their actor is removed when its last window closes. */
  const withoutSlices = new Set<string>();
  const logic = provideEndpoint(options);

  function actorOf({ namespace, service }: ServiceReadiness): Actor<EndpointLogic> | undefined {
    const key = keyOf(namespace, service);
    const known = actors.get(key);
    const config = services.get(service);
    if (known !== undefined || config === undefined) return known;
    const { watchDuration, onStart, whileNotReady, podSelectors } = config;
    const lastWindow = windows.lastOf(namespace, service);
    const settings = { selectors: podSelectors.length, watchDuration, onStart, whileNotReady };
    const input = { namespace, service, lastWindow, ...settings };
    const actor = createActor(logic, { ...runtime, id: key, input });
    actors.set(key, actor);
    actor.subscribe({
      next: () => removeIfIdle(key),
      error: (error) => {
        actors.delete(key);
        report({ type: 'actor.failed', actor: `endpoint ${key}`, error });
      },
    });
    actor.start();
    return actor;
  }

  /** An actor without slices and windows has no state that a new one would lack. */
  function removeIfIdle(key: string): void {
    const actor = actors.get(key);
    if (!withoutSlices.has(key) || actor === undefined || !actor.getSnapshot().matches({ notReady: 'idle' })) return;
    withoutSlices.delete(key);
    actors.delete(key);
    actor.stop();
  }

  /** The service was removed from the config: its window closes, and deletions that were not sent are dropped. */
  function end(key: string): void {
    const [namespace = '', service = ''] = key.split('/');
    const stats = windows.openOf(namespace, service);
    if (stats !== undefined) stats.failureReason = 'the config has changed';
    actors.get(key)?.stop();
    actors.delete(key);
    withoutSlices.delete(key);
    if (stats !== undefined) windows.close(stats);
  }

  /** An open window still counts from the recovery of its service, with the new watchDuration. */
  function change(key: string, was: ServiceConfig, is: ServiceConfig): void {
    const [namespace = '', service = ''] = key.split('/');
    const { watchDuration, onStart, whileNotReady, podSelectors } = is;
    const stats = windows.openOf(namespace, service);
    const began = (stats?.closesAt ?? 0) - was.watchDuration;
    const remaining = Math.max(0, began + watchDuration - clock.monotonic());
    const settings = { selectors: podSelectors.length, watchDuration, onStart, whileNotReady };
    const reason = stats?.failureReason ?? '';
    if (stats !== undefined) stats.failureReason = 'the config has changed';
    actors.get(key)?.send({ type: 'config.changed', ...settings, remaining });
    if (stats !== undefined) stats.failureReason = reason;
  }

  return {
    configure(before) {
      const known = [...actors.keys()].map((key) => {
        const [namespace = '', service = ''] = key.split('/');
        return { key, namespace, was: before.get(service), is: services.get(service) };
      });
      // Removed services come first: a deletion that is no longer requested must not start because of the other
      // changes.
      for (const { key, namespace, is } of known) if (!isWatched(is, namespace)) end(key);
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
      else actors.get(key)?.send({ type: 'endpoint.notReady' });
      removeIfIdle(key);
      if (!actors.has(key)) withoutSlices.delete(key);
    },
    stop() {
      for (const actor of actors.values()) actor.stop();
      actors.clear();
      withoutSlices.clear();
    },
    actors: () => actors.values(),
    get size() {
      return actors.size;
    },
    get dependants() {
      let count = 0;
      for (const actor of actors.values()) count += actor.getSnapshot().context.children.length;
      return count;
    },
  };
}
