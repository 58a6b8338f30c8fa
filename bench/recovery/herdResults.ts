import { z } from 'zod';

/** All dependants of one service at once. */
export const HerdCase = z.object({
  pods: z.number(),
  /** The setting `pace`. Left out: none. */
  pace: z.object({ pods: z.number(), per: z.string() }).optional(),
  /** From the request that makes the service ready to the last DELETED event. Milliseconds. */
  total: z.number(),
  /** The largest number of DELETE requests that the API server received within any one second. */
  mostInOneSecond: z.number(),
});
export type HerdCase = z.infer<typeof HerdCase>;
