import { z } from 'zod';

/**
 * Recoveries of all services at once: milliseconds from the first change of a service to the last DELETED event, and
 * CPU seconds.
 */
const Half = z.object({
  total: z.number(),
  cpu: z.number(),
  /** The longest delay of the event loop in this half. Milliseconds. */
  loopDelay: z.number(),
  /** Requests a second in this half, by resource. */
  requests: z.record(z.string(), z.number()),
});
export type Half = z.infer<typeof Half>;

export const HostileCase = z.object({
  namespaces: z.number(),
  pods: z.number(),
  /** The number of hostile applications. */
  hostile: z.number(),
  rounds: z.array(z.object({ without: Half, withHostile: Half, leaseLosses: z.number() })),
});
export type HostileCase = z.infer<typeof HostileCase>;
