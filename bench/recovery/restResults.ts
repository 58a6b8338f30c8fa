import { z } from 'zod';

/** A weeder that has nothing to do, beside so many empty namespaces that it watches one by one. */
export const RestCase = z.object({
  namespaces: z.number(),
  streams: z.number(),
  requestsPerMinute: z.number(),
  /** Cores in use: 0.01 are ten millicores. */
  cpu: z.number(),
  /** The same of the API server, with what it does for itself. */
  serverCpu: z.number(),
  /** Milliseconds. */
  startToSynced: z.number(),
  /** MiB. */
  rss: z.number(),
});
export type RestCase = z.infer<typeof RestCase>;
