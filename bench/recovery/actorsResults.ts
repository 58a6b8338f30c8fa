import { z } from 'zod';

/** What XState does for one recovery of a service with two podSelectors and one pod. */
export const RecoveryCounts = z.object({ actors: z.number(), events: z.number(), inspectionEvents: z.number() });
export type RecoveryCounts = z.infer<typeof RecoveryCounts>;

/** Services that recover at once. Times in milliseconds, memory in MiB. */
export const ActorsCase = z.object({
  services: z.number(),
  /** The open windows. Each has a `dependants` actor for each of the two podSelectors. */
  windows: z.number(),
  podDeletions: z.number(),
  /** The running timers of Node when all actors exist. */
  timers: z.number(),
  /** The time to open all windows. */
  open: z.number(),
  /** The time to handle a crash-looping pod of each service. */
  pods: z.number(),
  /** The median for one more service and its pod. */
  oneMore: z.number(),
  /** The time to stop all actors. */
  stop: z.number(),
  windowsHeap: z.number(),
  podsHeap: z.number(),
  /** The heap that remains after the stop. */
  leftHeap: z.number(),
  recovery: RecoveryCounts,
});
export type ActorsCase = z.infer<typeof ActorsCase>;
