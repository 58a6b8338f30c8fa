import { z } from 'zod';

/** The results for one number and kind of pods. Times in milliseconds, CPU in seconds, memory in MiB. */
export const ScaleCase = z.object({
  pods: z.number(),
  /** Whether the pods match the podSelector, or one of many; or declare one of many services. */
  what: z.enum(['unrelated', 'unrelated, on one stream for all', 'matching', 'matching one of many', 'declaring']),
  /** The number of podSelectors, or of services. Left out: few. */
  many: z.number().optional(),
  startToSynced: z.number(),
  cpuToSynced: z.number(),
  /** The bytes of pods only. */
  bytesToSynced: z.number(),
  idleRss: z.number(),
  peakRss: z.number(),
  /** After the changes. */
  afterRss: z.number(),
  /** For 1,000 events of healthy pods. */
  cpuPer1000Healthy: z.number(),
  bytesPer1000Healthy: z.number(),
  /** For 1,000 events of pods that start to crash-loop. */
  cpuPer1000Crashing: z.number(),
  bytesPer1000Crashing: z.number(),
});
export type ScaleCase = z.infer<typeof ScaleCase>;
