import type { ContainerExit } from '@weeder/embedded-cluster';

/** What became of a dependant. */
export interface PodChange {
  readonly type: 'pod.created' | 'pod.ready' | 'pod.notReady' | 'pod.ending';
  readonly pod: string;
}

/** Something that happened in the cluster. */
export type ScenarioEvent = PodChange | ContainerExit | { readonly type: 'etcd.down' | 'etcd.back' };
