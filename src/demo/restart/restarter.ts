/** Whoever restarts the workloads of the shop when their sources change. */
export interface Restarter {
  /** Resolves when it is at work. */
  start(): Promise<void>;
  /** Resolves when it is gone. */
  stop(): Promise<void>;
  /** Whether it has nothing more to do for now. */
  isSettled(): boolean;
}
