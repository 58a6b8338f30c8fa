import type { ApiRequest, KubeClient } from '@weeder/kube-runtime/client';
import { passing, type RequestFault, settled, type VirtualClock, virtualClock } from '@weeder/kube-runtime/testing';
import type { StreamNeed } from '@weeder/kube-runtime/watch';
import type { ActorRuntime } from '../../../src/actors/actorRuntime.ts';
import type { RestartConfig } from '../../../src/config/restart.ts';
import { hashKeyOf, hashKeysOf } from '../../../src/restart/digest/hashKeys.ts';
import type { RestartEvent } from '../../../src/restart/references/events.ts';
import { restartApi } from '../../../src/restart/requests/restartApi.ts';
import type { RestartControl } from '../../../src/restart/restartControl.ts';
import { type CreateRestartCore, createRestartCore, type RestartCore } from '../../../src/restart/restartCore.ts';
import { simulatedCluster } from '../world/cluster.ts';

export interface SimulatedRestartsOptions {
  readonly isDryRun?: boolean;
  readonly inspect?: ActorRuntime['inspect'];
  readonly namespaces?: readonly string[];
  readonly clock?: VirtualClock;
  /** Called for each event when it is reported. */
  readonly onEvent?: (event: RestartEvent) => void;
  /** Creates restart control, as a recorder does. */
  readonly createRestart?: CreateRestartCore;
  /** Whether a response of the API server waits for time to pass, in addition to those of the cluster. */
  readonly isDelayed?: () => boolean;
}

interface Requests {
  /** Called before each request. */
  readonly faultOf: (request: ApiRequest) => RequestFault | undefined;
  /** Called after each request that succeeded. */
  readonly onDone?: (request: ApiRequest) => void;
}

export type SimulatedRestarts = ReturnType<typeof simulatedRestarts>['restarts'];

/** Restart control in a simulated cluster; there is none until one is started, and the latest may be replaced. */
export function simulatedRestarts(
  firstConfig: RestartConfig,
  { faultOf, onDone }: Requests,
  options: SimulatedRestartsOptions = {},
) {
  const { clock = virtualClock(), createRestart = createRestartCore, isDelayed = () => false } = options;
  const cluster = simulatedCluster(clock);
  const events: RestartEvent[] = [];
  const open = new Map<string, { readonly need: StreamNeed; readonly close: () => void }>();
  let config = firstConfig;
  let key = keyOf(7);
  let core: RestartCore | undefined;
  let inFlight = 0;

  const sent = cluster.client(faultOf);
  const client: KubeClient = {
    ...sent,
    async call(request) {
      inFlight += 1;
      const result = await sent.call(request);
      inFlight -= 1;
      if (result.ok) onDone?.(request);
      return result;
    },
  };

  /** Opens the streams that are needed now, and closes the others. */
  function follow(needs: ReadonlyMap<string, StreamNeed>): void {
    for (const [name, { need, close }] of open) {
      if (needs.get(name) === need) continue;
      open.delete(name);
      close();
    }
    for (const [name, need] of needs) if (!open.has(name)) open.set(name, { need, close: cluster.follow([need]) });
  }

  function begin(): void {
    const next = createRestart({
      runtime: options.inspect === undefined ? { clock } : { clock, inspect: options.inspect },
      api: restartApi(client),
      report(event) {
        events.push(event);
        options.onEvent?.(event);
      },
      isDryRun: options.isDryRun ?? false,
      random: () => 0.5,
      config: { services: new Map(), restart: config },
      namespaces: options.namespaces ?? 'all',
      owned: undefined,
      ownNamespace: 'weeder',
      watchHashKeys({ onKeys, onChecked }) {
        onKeys(hashKeysOf(key, [key]));
        onChecked();
        return () => undefined;
      },
      onStreamsChanged: () => queueMicrotask(() => core === next && follow(next.needs)),
      onStreamClosed: () => undefined,
    });
    core = next;
    follow(next.needs);
    next.start();
  }

  /** Waits until every request has been answered, except those that wait for time to pass. */
  async function untilIdle(): Promise<void> {
    for (let turns = 0; turns < 2; turns = isIdle() ? turns + 1 : 0) await settled();
  }

  function isIdle(): boolean {
    if (inFlight > cluster.waiting) return false;
    return cluster.waiting > 0 || isDelayed() || (core?.control()?.counts().inFlight ?? 0) === 0;
  }

  const pass = (ms: number) => passing(clock, ms, untilIdle);

  function start(): void {
    stop();
    begin();
  }

  function stop(): void {
    follow(new Map());
    core?.stop();
  }

  const restarts = {
    clock,
    events,
    /** Replaces the key; the old one is lost. */
    changeKey(seed: number) {
      key = keyOf(seed);
    },
    /** Applies this config from now on. */
    configure(next: RestartConfig) {
      config = next;
      core?.configure({ services: new Map(), restart: next });
    },
    /** Another weeder takes over, from what the API server has. */
    async restart() {
      start();
      await pass(1);
    },
    /** The same, without waiting for its first decisions. */
    start,
    /** The weeder ends. */
    stop,
    pass,
    eventsOf: <T extends RestartEvent['type']>(type: T) =>
      events.filter((event): event is Extract<RestartEvent, { type: T }> => event.type === type),
  };
  const control = (): RestartControl => core?.control() ?? fail();
  return { restarts, control, server: cluster.server };
}

function keyOf(seed: number) {
  return hashKeyOf(Buffer.alloc(32, seed));
}

function fail(): never {
  throw new Error('there is no weeder');
}
