import type { Clock } from '../clock.ts';
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
  /** Milliseconds since etcd went away; negative before. */
  time(): number;
  downtimes(): readonly Downtime[];
  /** Whether it has ended. */
  isOver(): boolean;
  /** Whether all the dependants came back in time. */
  readonly ended: Promise<boolean>;
  stop(): void;
}

/** From the start to the outage, in milliseconds: time for everything to become ready. */
export const prelude = 5_000;
/** The longest back-off lasts 5 minutes: who is not back by then never comes back. */
const longestAftermath = 600_000;
const lookEvery = 100;

/** Starts the cluster; etcd goes away after the prelude and comes back after the outage. */
export function startScenario(
  clock: Clock,
  { replicas, outage, seed, kubelet }: ScenarioOptions,
  report: (fact: ScenarioFact) => void = () => {},
): Scenario {
  const server = createApiServer({ clock, random: seededRandom(seed) });
  const { store } = server;
  const startedAt = clock.monotonic();
  const time = () => clock.monotonic() - startedAt - prelude;
  const { promise: ended, resolve } = Promise.withResolvers<boolean>();
  let isOver = false;

  function setEtcd(isHealthy: boolean): void {
    report({ type: isHealthy ? 'etcd.back' : 'etcd.down' });
    const annotations = { [programAnnotation]: JSON.stringify({ isHealthy, readyAfter: 0 }) };
    for (const { metadata } of store.list(pods, { namespace: home, labelSelector: { matchLabels: etcdLabels } })) {
      store.patch(pods, home, metadata.name, { metadata: { annotations } });
    }
  }

  function look(): void {
    const isBack = downtime.all().every((each) => !each.isDown);
    if (isBack || time() > outage + longestAftermath) {
      isOver = true;
      resolve(isBack);
    } else lookTimer = clock.setTimeout(look, lookEvery);
  }

  createObjects(store, replicas);
  const downtime = watchDowntime(store, clock, report);
  const parts = [
    startReplicaSets(store),
    startEndpointSlices(store),
    startKubelet({ store, clock, version: kubelet, seed, report }),
    downtime.stop,
  ];
  let lookTimer = clock.setTimeout(() => setEtcd(false), prelude);
  const recoveryTimer = clock.setTimeout(() => {
    setEtcd(true);
    lookTimer = clock.setTimeout(look, lookEvery);
  }, prelude + outage);

  return {
    server,
    time,
    downtimes: downtime.all,
    isOver: () => isOver,
    ended,
    stop() {
      clock.clearTimeout(lookTimer);
      clock.clearTimeout(recoveryTimer);
      for (const stop of parts) stop();
    },
  };
}
