import type { ContainerExit } from '@weeder/embedded-cluster';

/** A change of a dependant. */
export interface PodChange {
  readonly type: 'pod.created' | 'pod.ready' | 'pod.notReady' | 'pod.ending';
  readonly pod: string;
}

/** An event in the cluster. */
export type ScenarioEvent = PodChange | ContainerExit | { readonly type: 'etcd.down' | 'etcd.back' };
