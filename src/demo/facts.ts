/** What became of a dependant. */
export interface PodChange {
  readonly type: 'pod.created' | 'pod.ready' | 'pod.notReady' | 'pod.ending';
  readonly pod: string;
}

/** A container exited, and the pod's status says so now. */
export interface ContainerExit {
  readonly type: 'container.exited';
  readonly pod: string;
  /** How often the container had been restarted before. */
  readonly restarts: number;
  /** The back-off that is due now, in milliseconds; 0: it is restarted at once. */
  readonly backOff: number;
}

/** Something that happened in the cluster. */
export type ScenarioFact = PodChange | ContainerExit | { readonly type: 'etcd.down' | 'etcd.back' };
