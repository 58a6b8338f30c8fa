import { z } from 'zod';

/** The median cost of something that a process loads or does. Milliseconds and MiB. */
export const StartCase = z.object({
  what: z.string(),
  /** From the start of the process until it ended, or until its caches were synced. */
  ms: z.number(),
  /** Peak memory, or memory at rest. */
  rss: z.number(),
});
export type StartCase = z.infer<typeof StartCase>;
