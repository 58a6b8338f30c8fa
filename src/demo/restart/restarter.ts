/** Restarts the workloads of the shop when their sources change. */
export interface Restarter {
  /** Resolves when it watches the sources. */
  start(): Promise<void>;
  /** Resolves when it has stopped. */
  stop(): Promise<void>;
  /** Whether it has no pending work. */
  isSettled(): boolean;
}
