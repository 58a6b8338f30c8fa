import { z } from 'zod';

/** One cluster of so many pods. Times in milliseconds, CPU in seconds, memory in MiB. */
export const ScaleCase = z.object({
  pods: z.number(),
  /** Which pods they are: those of no podSelector, or those of the one that there is. */
  what: z.enum(['unrelated', 'unrelated, on one stream for all', 'matching']),
  startToSynced: z.number(),
  cpuToSynced: z.number(),
  /** Of pods only. */
  bytesToSynced: z.number(),
  idleRss: z.number(),
  peakRss: z.number(),
  /** After the changes. */
  afterRss: z.number(),
  /** For 1,000 events of pods that are well, and stay so. */
  cpuPer1000Healthy: z.number(),
  bytesPer1000Healthy: z.number(),
  /** For 1,000 events of pods that begin to crash-loop. */
  cpuPer1000Crashing: z.number(),
  bytesPer1000Crashing: z.number(),
});
export type ScaleCase = z.infer<typeof ScaleCase>;
