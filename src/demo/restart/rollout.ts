import type { WorkloadRef } from '../../restart/references/refs.ts';

/** A change of a workload's pod template. */
export interface Rollout {
  readonly workload: WorkloadRef;
  /** Whether the restarter caused it; otherwise it is a release of the shop. */
  readonly isRestart: boolean;
}
