import { z } from 'zod';

/** Recoveries of all services at once. Milliseconds from the first flip to the last DELETED event, and seconds of a core. */
const Half = z.object({
  total: z.number(),
  cpu: z.number(),
  /** Of the event loop, the longest in this half. Milliseconds. */
  loopDelay: z.number(),
  /** Requests a second in this half, by resource. */
  requests: z.record(z.string(), z.number()),
});
export type Half = z.infer<typeof Half>;

export const HostileCase = z.object({
  namespaces: z.number(),
  pods: z.number(),
  /** How many applications are hostile. */
  hostile: z.number(),
  rounds: z.array(z.object({ without: Half, beside: Half, leaseLosses: z.number() })),
});
export type HostileCase = z.infer<typeof HostileCase>;
