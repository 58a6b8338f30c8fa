import { z } from 'zod';

/**
 * Restart control with these numbers of sources and workloads. Times in milliseconds, CPU in seconds, memory in MiB.
 */
export const RestartCase = z.object({
  /** The number of ConfigMaps, and of Secrets. */
  sources: z.number(),
  workloads: z.number(),
  /** The workloads that share a ConfigMap. */
  sharing: z.number(),
  /** The same process with the same config on an empty cluster, at rest. */
  emptyRss: z.number(),
  startToSynced: z.number(),
  /** From the start until the last workload has its state. */
  startToAdopted: z.number(),
  cpuToAdopted: z.number(),
  idleRss: z.number(),
  peakRss: z.number(),
  /** Per cent of a core. */
  idleCpu: z.number(),
  /** Rollouts, each of which is a new annotation in a pod template. */
  adoptionRollouts: z.number(),
  /** The number of rollouts for ten changes in a second. */
  burstRollouts: z.number(),
  /** The same for two releases that change a ConfigMap and the image, without the rollouts of the releases. */
  releaseRollouts: z.number(),
  /** The same for one change while weeder was down, after two starts. */
  downtimeRollouts: z.number(),
  /** After a change of the shared ConfigMap, from the end of the quiet period. */
  firstPatch: z.number(),
  halfOfPatches: z.number(),
  lastPatch: z.number(),
  sharedRollouts: z.number(),
  sharedCpu: z.number(),
  afterRss: z.number(),
});
export type RestartCase = z.infer<typeof RestartCase>;
