import {
  type ApiServer,
  createApiServer,
  type KubeletVersion,
  programAnnotation,
  seededRandom,
  startEndpointSlices,
  startKubelet,
  startReplicaSets,
} from '@weeder/embedded-cluster';
import { endpointSlices, pods } from '@weeder/embedded-cluster/resources';
import type { Clock, TimerHandle } from '@weeder/kube-runtime/base';
import { readSlice } from '../weeder/services/endpointSlice.ts';
import { countDowntimes, type Downtime, haveRecovered } from './downtime.ts';
import type { ScenarioEvent } from './events.ts';
import { apiserverLabels, createDependants, createEtcd, etcdLabels, etcdReplicas, home } from './objects.ts';
import { podView } from './podView.ts';

export interface ScenarioOptions {
  readonly replicas: number;
  /** The duration of the outage, in milliseconds. */
  readonly outage: number;
  readonly seed: number;
  readonly kubelet: KubeletVersion;
  /** The time limit for the recovery of the pods after the outage, in milliseconds. */
  readonly timeout: number;
}

/** The cluster of the demo, and its outage. */
export interface Scenario {
  readonly server: ApiServer;
  /** Whether all pods have become ready. */
  isReady(): boolean;
  /** Starts the scenario: the prelude, the outage of etcd, and the recovery. */
  begin(): void;
  /** Milliseconds since the outage began; negative before it, undefined before `begin`. */
  time(): number | undefined;
  downtimes(): readonly Downtime[];
  /** Whether the scenario has ended. */
  isOver(): boolean;
  /** Resolves to whether all dependants recovered in time. */
  readonly ended: Promise<boolean>;
  stop(): void;
}

/** From the beginning to the outage, in milliseconds. */
const prelude = 2_000;
const pollInterval = 100;

/** Starts the cluster. Until the scenario begins, its pods only become ready. */
export function startScenario(
  clock: Clock,
  { replicas, outage, seed, kubelet, timeout }: ScenarioOptions,
  report: (event: ScenarioEvent) => void = () => {},
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
    for (const { metadata } of store.list(pods, etcdPods)) {
      store.patch(pods, home, metadata.name, { metadata: { annotations } });
    }
  }

  function recover(): void {
    setEtcd(true);
    const deadline = clock.monotonic() + timeout;
    const check = () => {
      const isBack = haveRecovered(downtime.all());
      isOver = isBack || clock.monotonic() > deadline;
      if (isOver) resolve(isBack);
      else timer = clock.setTimeout(check, pollInterval);
    };
    timer = clock.setTimeout(check, pollInterval);
  }

  let hasDependants = false;
  /** Adds the dependants when the service of etcd has its endpoints: without them they would crash before the outage. */
  function addDependants(): void {
    const ready = store
      .list(endpointSlices, { namespace: home })
      .flatMap((slice) => readSlice(slice, home).backingPods ?? []);
    if (hasDependants || ready.length < etcdReplicas) return;
    hasDependants = true;
    createDependants(store, replicas);
  }

  createEtcd(store);
  const downtime = countDowntimes(clock, report);
  const etcdPods = { namespace: home, labelSelector: { matchLabels: etcdLabels } };
  const dependants = { namespace: home, labelSelector: { matchLabels: apiserverLabels } };
  const parts = [
    startReplicaSets(store, clock),
    startEndpointSlices(store, clock),
    startKubelet({ store, clock, version: kubelet, seed, report }),
    store.watch(endpointSlices, { namespace: home }, addDependants),
    store.watch(pods, dependants, (type, pod) => downtime.observe(type, podView(pod))),
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
