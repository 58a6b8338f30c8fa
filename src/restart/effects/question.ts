import type { EffectInput, WorkloadEvent } from '../../../machines/restart/workload.ts';
import type { WorkloadEntry } from './workloadEntry.ts';

/** One question to the world, whose answer is the event that the machine takes. */
export type Question = (
  entry: WorkloadEntry,
  input: EffectInput,
  signal: AbortSignal,
  afterwards: Afterwards,
) => Promise<WorkloadEvent>;

/** What is to be done when the answer to this question has been told. */
export type Afterwards = (work: () => void) => void;
