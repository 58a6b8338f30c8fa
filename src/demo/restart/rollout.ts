import type { WorkloadRef } from '../../restart/model/refs.ts';

/** Somebody gave a workload another pod template. */
export interface Rollout {
  readonly workload: WorkloadRef;
  /** Whether he who watches the sources did; otherwise it is a release of the shop's own. */
  readonly isRestart: boolean;
}
