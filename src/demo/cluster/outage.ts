import { conditionOf } from '@weeder/embedded-cluster';
import type { Clock, TimerHandle } from '../../base/clock.ts';
import type { Logger } from '../../base/log.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import type { ApiFailure } from '../../kube/client/failure.ts';
import { countDowntimes, type Downtime } from '../downtime.ts';
import type { ScenarioEvent } from '../events.ts';
import { etcdLabels, etcdReplicas } from '../objects.ts';
import type { PodView } from '../podView.ts';
import { watchExits } from './exits.ts';
import { type DependantSet, servingCondition, setLabel } from './manifests.ts';
import { followPods } from './podStream.ts';
import { createServing } from './serving.ts';

/** The demo's pods on a real cluster, and the switch that begins and ends the outage of etcd. */
export interface Outage {
  /** Whether all pods of etcd are ready. */
  isServing(): boolean;
  /** Whether all dependants (twice `replicas`) are ready. */
  isReady(): boolean;
  begin(): void;
  end(): void;
  downtimes(set: DependantSet): readonly Downtime[];
  /** Why a pod is not ready, as the cluster reports it; undefined if it reports nothing. */
  notReady(): NotReadyReason | undefined;
  /** Why etcd cannot be switched. */
  readonly failure: ApiFailure | undefined;
  stop(): void;
}

export interface NotReadyReason {
  readonly pod: string;
  readonly what: string;
}

interface OutageOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly namespace: string;
  readonly replicas: number;
  readonly report: (event: ScenarioEvent) => void;
}

const retryEvery = 500;

export function watchOutage({ client, clock, logger, namespace, replicas, report }: OutageOptions): Outage {
  const serving = createServing(client, clock, namespace);
  const counts = { weeded: countDowntimes(clock, report), ignored: countDowntimes(clock, report) };
  const observeExit = watchExits(report);
  const unready = new Map<string, PodView>();
  const etcdPods = new Map<string, boolean>();
  let timer: TimerHandle | undefined;

  const unfollow = followPods({ client, clock, logger }, namespace, (type, pod, object) => {
    const isDeleted = type === 'DELETED' || pod.isEnding;
    if (isDeleted || pod.isReady) unready.delete(pod.name);
    else unready.set(pod.name, pod);
    if (pod.labels['role'] === etcdLabels.role) {
      etcdPods.set(pod.name, pod.isReady && !isDeleted);
      if (isDeleted) serving.forget(pod.name);
      else serving.observe(pod.name, conditionOf(object, servingCondition)['status']);
      return;
    }
    if (!isDeleted) observeExit(pod);
    counts[pod.labels[setLabel] === 'ignored' ? 'ignored' : 'weeded'].observe(type, pod);
  });

  function tick(): void {
    serving.retry();
    timer = clock.setTimeout(tick, retryEvery);
  }
  tick();

  return {
    isServing: () => [...etcdPods.values()].filter(Boolean).length === etcdReplicas,
    isReady: () => counts.weeded.ready() === replicas && counts.ignored.ready() === replicas,
    begin() {
      report({ type: 'etcd.down' });
      for (const count of Object.values(counts)) count.begin();
      serving.set(false);
    },
    end() {
      report({ type: 'etcd.back' });
      serving.set(true);
    },
    downtimes: (set) => counts[set].all(),
    notReady() {
      for (const { name, notReadyBecause } of unready.values())
        if (notReadyBecause !== undefined) return { pod: name, what: notReadyBecause };
      return undefined;
    },
    get failure() {
      return serving.failure;
    },
    stop() {
      clock.clearTimeout(timer);
      unfollow();
    },
  };
}
