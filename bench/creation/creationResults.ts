import { z } from 'zod';

/** Objects of one kind whose pods a webhook refused during an outage. */
export const CreationCase = z.object({
  kind: z.string(),
  objects: z.number(),
  /** Whether weeder watches the Service of the webhook. */
  weeder: z.boolean(),
  /** How long the webhook was away. Seconds. */
  outage: z.number(),
  /** From the request that makes the Service ready to the first pod of an object. Seconds. */
  median: z.number(),
  last: z.number(),
  /** Of the weeder, for all kinds together, from then on: seconds of CPU. */
  cpu: z.number().optional(),
  /** Of the weeder: the maximum of its memory. MiB. */
  peak: z.number().optional(),
});
export type CreationCase = z.infer<typeof CreationCase>;
