import type { Clock, TimerHandle } from '../clock.ts';
import { type ApiServer, createApiServer } from './apiServer/apiServer.ts';
import { pods } from './apiServer/resources.ts';
import { startEndpointSlices, startReplicaSets } from './controllers.ts';
import { type Downtime, type PodChange, watchDowntime } from './downtime.ts';
import type { KubeletVersion } from './kubelet/backOff.ts';
import { type ContainerExit, startKubelet } from './kubelet/kubelet.ts';
import { programAnnotation } from './kubelet/program.ts';
import { createObjects, etcdLabels, home } from './objects.ts';
import { seededRandom } from './random.ts';

export interface ScenarioOptions {
  readonly replicas: number;
  /** How long etcd is away, in milliseconds. */
  readonly outage: number;
  readonly seed: number;
  readonly kubelet: KubeletVersion;
}

/** Something that happened in the cluster. */
export type ScenarioFact = PodChange | ContainerExit | { readonly type: 'etcd.down' | 'etcd.back' };

/** A cluster of the demo's own, in which the outage takes its course. */
export interface Scenario {
  readonly server: ApiServer;
  /** Whether all the pods have become ready. */
  isReady(): boolean;
  /** Lets etcd go away after the prelude, and come back after the outage. */
  begin(): void;
  /** Milliseconds since etcd went away; negative before, undefined before `begin`. */
  time(): number | undefined;
  downtimes(): readonly Downtime[];
  /** Whether it has ended. */
  isOver(): boolean;
  /** Whether all the dependants came back in time. */
  readonly ended: Promise<boolean>;
  stop(): void;
}

/** From the beginning to the outage, in milliseconds. */
export const prelude = 2_000;
/** The longest back-off lasts 5 minutes: who is not back by then never comes back. */
const longestAftermath = 600_000;
const lookEvery = 100;

/** Starts the cluster, in which nothing happens but that its pods become ready, until the scenario begins. */
export function startScenario(
  clock: Clock,
  { replicas, outage, seed, kubelet }: ScenarioOptions,
  report: (fact: ScenarioFact) => void = () => {},
): Scenario {
  const server = createApiServer({ clock, random: seededRandom(seed) });
  const { store } = server;
  const { promise: ended, resolve } = Promise.withResolvers<boolean>();
  let downAt: number | undefined;
  let isOver = false;
  let timer: TimerHandle | undefined;

  function setEtcd(isHealthy: boolean): void {
    report({ type: isHealthy ? 'etcd.back' : 'etcd.down' });
    const annotations = { [programAnnotation]: JSON.stringify({ isHealthy, readyAfter: 0 }) };
    for (const { metadata } of store.list(pods, { namespace: home, labelSelector: { matchLabels: etcdLabels } })) {
      store.patch(pods, home, metadata.name, { metadata: { annotations } });
    }
  }

  function recover(): void {
    setEtcd(true);
    const deadline = clock.monotonic() + longestAftermath;
    const look = () => {
      const isBack = downtime.all().every((each) => !each.isDown);
      isOver = isBack || clock.monotonic() > deadline;
      if (isOver) resolve(isBack);
      else timer = clock.setTimeout(look, lookEvery);
    };
    timer = clock.setTimeout(look, lookEvery);
  }

  createObjects(store, replicas);
  const downtime = watchDowntime(store, clock, report);
  const parts = [
    startReplicaSets(store, clock),
    startEndpointSlices(store, clock),
    startKubelet({ store, clock, version: kubelet, seed, report }),
    downtime.stop,
  ];

  return {
    server,
    isReady: () => downtime.ready() === replicas,
    begin() {
      downAt = clock.monotonic() + prelude;
      timer = clock.setTimeout(() => {
        setEtcd(false);
        timer = clock.setTimeout(recover, outage);
      }, prelude);
    },
    time: () => (downAt === undefined ? undefined : clock.monotonic() - downAt),
    downtimes: downtime.all,
    isOver: () => isOver,
    ended,
    stop() {
      clock.clearTimeout(timer);
      for (const stop of parts) stop();
    },
  };
}
