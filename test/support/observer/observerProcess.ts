import type { JsonObject } from '@weeder/kube-runtime/base';
import { passing, settled, type VirtualClock } from '@weeder/kube-runtime/testing';
import type { StreamNeed } from '@weeder/kube-runtime/watch';
import type { ActorRuntime } from '../../../src/actors/actorRuntime.ts';
import type { MaintenanceWindow } from '../../../src/config/maintenance.ts';
import { type AllowedResources, everythingAllowed } from '../../../src/config/schema/allowedResources.ts';
import { defaultObserver } from '../../../src/config/schema/observer.ts';
import { resourceRequests } from '../../../src/observer/apply/resourceRequests.ts';
import { watchedRestMapper } from '../../../src/observer/kinds/restMapper.ts';
import type { ObserverEvent } from '../../../src/observer/objects/events.ts';
import { type CreateObserverCore, createObserverCore, type ObserverCore } from '../../../src/observer/observerCore.ts';
import type { RestMapper } from '../../../src/observer/plan/resourceApi.ts';
import type { ApplicationLimits } from '../../../src/observer/spec/applicationLimits.ts';
import { type ApplicationApi, applicationApi } from '../../../src/observer/status/applicationApi.ts';
import type { SimulatedCluster } from '../world/cluster.ts';
import type { createObserverRequests } from './observerRequests.ts';
import type { ObserverStreams } from './observerStreams.ts';

export interface ObserverProcessOptions {
  readonly isDryRun?: boolean;
  readonly mayUseOwnRights?: boolean;
  /** Milliseconds; default: as in the config. */
  readonly trialPeriod?: number;
  /** Milliseconds; default: none, since most removals are not about an application that takes over. */
  readonly pruneDelay?: number;
  readonly limits?: Partial<ApplicationLimits>;
  /** Default: everything. */
  readonly allow?: AllowedResources;
  /** Default: none. */
  readonly maintenanceWindows?: readonly MaintenanceWindow[];
  readonly inspect?: ActorRuntime['inspect'];
  readonly create?: CreateObserverCore;
  readonly onEvent?: (event: ObserverEvent) => void;
}

/** What the observer has reported and written about applications. */
export interface ObserverReports {
  readonly events: ObserverEvent[];
  /** Every write of a status, and its time: milliseconds since the start. */
  readonly statuses: JsonObject[];
  readonly statusesAt: number[];
  maxStatusesInFlight: number;
  /** How long the next lookups of kinds take, in milliseconds; when the list is empty: no time. */
  readonly findTimes: number[];
}

interface Surroundings {
  readonly clock: VirtualClock;
  readonly cluster: () => SimulatedCluster;
  readonly requests: ReturnType<typeof createObserverRequests>;
  readonly streams: ObserverStreams;
  readonly reports: () => ObserverReports;
}

/** An observer with the product's own requests; another one takes over from what the API server has. */
export function observerProcess(options: ObserverProcessOptions, surroundings: Surroundings) {
  const { clock, cluster, requests, streams, reports } = surroundings;
  const startedAt = clock.now();
  const { limits, allow = everythingAllowed, trialPeriod = 600_000, pruneDelay = 0, maintenanceWindows = [] } = options;
  const windows = { maintenanceWindows: [...maintenanceWindows] };
  const observer = { ...defaultObserver, allow, ...limits, trialPeriod, pruneDelay, ...windows };
  let needs = (): ReadonlyMap<string, StreamNeed> => new Map();
  let current: ObserverCore | undefined;
  let stop = () => {};

  const follow = () => streams.follow(cluster(), needs());

  function start(): void {
    const client = requests.client(cluster);
    const onChanged = () => void settled().then(follow);
    const { restMapper, streams: kinds } = watchedRestMapper(client, { clock, onChanged, onClosed: streams.close });
    const core = (options.create ?? createObserverCore)({
      config: { services: new Map(), restart: undefined, observer },
      runtime: options.inspect === undefined ? { clock } : { clock, inspect: options.inspect },
      api: requests.api(resourceRequests(client)),
      kinds: late(restMapper),
      applications: noted(applicationApi(client)),
      namespaces: 'all',
      owned: undefined,
      isDryRun: options.isDryRun ?? false,
      mayUseOwnRights: options.mayUseOwnRights ?? false,
      random: () => 0.5,
      report(event) {
        reports().events.push(event);
        options.onEvent?.(event);
      },
      onStreamsChanged: onChanged,
      onStreamClosed: streams.close,
    });
    needs = () => new Map([...core.needs, ...kinds.needs]);
    current = core;
    stop = () => {
      needs = () => new Map();
      streams.closeAll();
      core.stop();
      kinds.stop();
    };
    core.start();
    follow();
  }

  /** A lookup that takes long, although the discovery document is shared. */
  function late(restMapper: RestMapper): RestMapper {
    return {
      ...restMapper,
      async find(...lookup) {
        const wait = reports().findTimes.shift();
        if (wait !== undefined) await new Promise<void>((resolve) => void clock.setTimeout(resolve, wait));
        return restMapper.find(...lookup);
      },
    };
  }

  function noted(api: ApplicationApi): ApplicationApi {
    let inFlight = 0;
    return {
      ...api,
      async patchStatus(ref, before, status) {
        inFlight += 1;
        reports().maxStatusesInFlight = Math.max(reports().maxStatusesInFlight, inFlight);
        const outcome = await api.patchStatus(ref, before, status);
        inFlight -= 1;
        if (!outcome.ok) return outcome;
        reports().statuses.push(status);
        reports().statusesAt.push(clock.now() - startedAt);
        return outcome;
      },
    };
  }

  /** Waits until nothing happens any more unless time passes. */
  async function untilIdle(): Promise<void> {
    const happened = () => [requests.sent, cluster().server.storage.version, reports().events.length].join();
    for (let isIdle = false; !isIdle; ) {
      const before = happened();
      await settled();
      isIdle = happened() === before && requests.inFlight <= cluster().waiting;
    }
  }

  const pass = (ms: number) => passing(clock, ms, untilIdle);

  return {
    get core(): ObserverCore {
      if (current === undefined) throw new Error('no weeder has started');
      return current;
    },
    start,
    stop: () => stop(),
    async restart(): Promise<void> {
      stop();
      let isDrained = current === undefined;
      void current?.drained().then(() => {
        isDrained = true;
      });
      // Requests in flight take their time, which has to pass.
      for (await pass(0); !isDrained; ) await pass(100);
      start();
      await pass(1);
    },
    /** Lists everything again after the server went back to an older state. */
    rewind(): void {
      for (const { sink } of needs().values()) {
        sink.lost?.();
        sink.rewound?.();
      }
      follow();
    },
    pass,
  };
}
