import { z } from 'zod';

/** Restart control beside so many sources and workloads. Times in milliseconds, CPU in seconds, memory in MiB. */
export const RestartCase = z.object({
  /** ConfigMaps, and as many Secrets. */
  sources: z.number(),
  workloads: z.number(),
  /** Those that use one ConfigMap together. */
  sharing: z.number(),
  /** The same process with the same config on an empty cluster, at rest. */
  emptyRss: z.number(),
  startToSynced: z.number(),
  /** From the start until the state is written on the last workload. */
  startToAdopted: z.number(),
  cpuToAdopted: z.number(),
  idleRss: z.number(),
  peakRss: z.number(),
  /** Per cent of a core. */
  idleCpu: z.number(),
  /** Rollouts, each of which is a new annotation in a pod template. */
  adoptionRollouts: z.number(),
  /** For ten changes in a second. */
  burstRollouts: z.number(),
  /** For two releases that change a ConfigMap and the image: beside the releases' own. */
  releaseRollouts: z.number(),
  /** For one change while it was down, and another start after that. */
  downtimeRollouts: z.number(),
  /** Of the ConfigMap that many use, from the end of the quiet period. */
  firstPatch: z.number(),
  halfOfPatches: z.number(),
  lastPatch: z.number(),
  sharedRollouts: z.number(),
  sharedCpu: z.number(),
  afterRss: z.number(),
});
export type RestartCase = z.infer<typeof RestartCase>;
