import { z } from 'zod';

/** One thing that a process loads or does, at the median over the runs. Milliseconds and MiB. */
export const StartCase = z.object({
  what: z.string(),
  /** From the start of the process until it had loaded it and ended, or until it had the complete state. */
  ms: z.number(),
  /** The most that it took, or what it takes at rest. */
  rss: z.number(),
});
export type StartCase = z.infer<typeof StartCase>;
