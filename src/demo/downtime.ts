import type { Clock } from '@weeder/kube-runtime/base';
import type { ChangeType } from '@weeder/kube-runtime/watch';
import type { PodChange } from './events.ts';
import type { PodView } from './podView.ts';

/** The downtime of one replica, whose pods may be replaced. */
export interface Downtime {
  /** The pod at the beginning. */
  readonly pod: string;
  /** Milliseconds without a ready pod, up to the current time if it has none. */
  readonly total: number;
  readonly isDown: boolean;
}

interface Replica {
  pod: string;
  newestPod: string;
  total: number;
  downSince: number | undefined;
}

/** Counts the downtimes of the dependants whose changes it receives. */
interface DowntimeCount {
  observe(type: ChangeType, pod: PodView): void;
  /** The downtimes count from now on: before the outage, a pod may have waited for the service or for its image. */
  begin(): void;
  /** In the order in which the pods were created. */
  all(): readonly Downtime[];
  /** The number of ready replicas. */
  ready(): number;
}

/** Counts after the first pod of a replica is ready. A new pod belongs to the replica that has waited longest for one. */
export function countDowntimes(clock: Clock, report: (change: PodChange) => void): DowntimeCount {
  const replicas: Replica[] = [];
  const replicaOf = new Map<string, Replica>();
  const vacant: Replica[] = [];
  const ready = new Set<string>();

  function setReady(uid: string, pod: string, isReady: boolean): void {
    const replica = replicaOf.get(uid);
    if (replica === undefined || ready.has(uid) === isReady) return;
    if (isReady) {
      ready.add(uid);
      if (replica.downSince !== undefined) replica.total += clock.now() - replica.downSince;
      replica.downSince = undefined;
    } else {
      ready.delete(uid);
      replica.downSince = clock.now();
    }
    report({ type: isReady ? 'pod.ready' : 'pod.notReady', pod });
  }

  return {
    observe(type, { uid, name, isReady, isEnding }) {
      if (type === 'ADDED') {
        const replica = vacant.shift() ?? { pod: name, newestPod: name, total: 0, downSince: undefined };
        replica.newestPod = name;
        if (!replicas.includes(replica)) replicas.push(replica);
        replicaOf.set(uid, replica);
        report({ type: 'pod.created', pod: name });
      }
      const replica = replicaOf.get(uid);
      if (replica === undefined) return;
      if (type !== 'DELETED' && !isEnding) return setReady(uid, name, isReady);
      setReady(uid, name, false);
      replicaOf.delete(uid);
      vacant.push(replica);
      report({ type: 'pod.ending', pod: name });
    },
    begin() {
      for (const replica of replicas) {
        replica.pod = replica.newestPod;
        replica.total = 0;
        if (replica.downSince !== undefined) replica.downSince = clock.now();
      }
    },
    all: () =>
      replicas.map(({ pod, total, downSince }) => ({
        pod,
        total: total + (downSince === undefined ? 0 : clock.now() - downSince),
        isDown: downSince !== undefined,
      })),
    ready: () => ready.size,
  };
}

/** Whether no replica is down. */
export function haveRecovered(downtimes: readonly Downtime[]): boolean {
  return downtimes.every(({ isDown }) => !isDown);
}
