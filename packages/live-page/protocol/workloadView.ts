/** A workload that restart control manages: GET `/workloads` returns a `WorkloadList`. */
export interface WorkloadView {
  /** The id of its actor. */
  readonly id: string;
  /** `Deployment shop/web` */
  readonly name: string;
  readonly namespace: string;
  /** The innermost state of its machine. */
  readonly state: string;
  /** Why the restart waits, is blocked, or has stalled; empty if the state needs no reason. */
  readonly reason: string;
  readonly since: number;
  /** When the state ends by a timer; undefined: no timer runs. */
  readonly until: number | undefined;
  /** `ConfigMap settings#key`, `Secret login` */
  readonly sources: readonly string[];
  /** The latest five restarts, oldest first. */
  readonly restarts: readonly number[];
  /** The cause of the last restart. */
  readonly cause: string;
}

export interface WorkloadList {
  readonly workloads: readonly WorkloadView[];
}
