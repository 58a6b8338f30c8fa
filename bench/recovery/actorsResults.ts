import { z } from 'zod';

/** So many services that recover at once. Times in milliseconds, memory in MiB. */
export const ActorsCase = z.object({
  services: z.number(),
  /** `dependants` actors: one for each podSelector of each open window. */
  windows: z.number(),
  podDeletions: z.number(),
  /** Of Node, running when all of them were there. */
  timers: z.number(),
  /** To open all windows. */
  open: z.number(),
  /** To take in a crash-looping pod of each service. */
  pods: z.number(),
  /** For one more service and its pod beside all the others, at the median. */
  oneMore: z.number(),
  /** To stop everything. */
  stop: z.number(),
  windowsHeap: z.number(),
  podsHeap: z.number(),
  /** What was left after the stop. */
  leftHeap: z.number(),
});
export type ActorsCase = z.infer<typeof ActorsCase>;
