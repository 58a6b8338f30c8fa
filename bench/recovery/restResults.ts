import { z } from 'zod';

/** An idle weeder that watches this many empty namespaces separately. */
export const RestCase = z.object({
  namespaces: z.number(),
  streams: z.number(),
  requestsPerMinute: z.number(),
  /** Cores in use: 0.01 are ten millicores. */
  cpu: z.number(),
  /** The same for the API server, including its own work. */
  serverCpu: z.number(),
  /** Milliseconds. */
  startToSynced: z.number(),
  /** MiB. */
  rss: z.number(),
});
export type RestCase = z.infer<typeof RestCase>;
