import { z } from 'zod';

/** The cost of one candidate. Milliseconds, and CPU seconds. */
const Cost = z.object({ ms: z.number(), cpu: z.number() });

const Pair = z.object({ bare: Cost, weeder: Cost });
export type Pair = z.infer<typeof Pair>;

/** Each candidate has its own new control plane. */
const Round = z.object({
  /** From the start of the process until everything is applied and observed. No object exists before. */
  first: Pair,
  /** The same if all objects exist. */
  next: Pair,
  /** From the first edit to the last correction. */
  drifts: Pair,
});
export type Round = z.infer<typeof Round>;

/** Resident memory at rest. MiB. */
const Rest = z.object({
  as: z.string(),
  afterFirst: z.number().optional(),
  afterNext: z.number(),
  afterDrifts: z.number().optional(),
});
export type Rest = z.infer<typeof Rest>;

/** A thousand resources in this many applications. */
export const ThousandCase = z.object({
  applications: z.number(),
  resources: z.number(),
  /** The number of simultaneous drifts. */
  drifting: z.number(),
  rounds: z.array(Round),
  rests: z.array(Rest),
  /** Requests of weeder, by verb, resource and outcome, in the last round. */
  requests: z.object({
    first: z.record(z.string(), z.number()),
    next: z.record(z.string(), z.number()),
    drifts: z.record(z.string(), z.number()),
  }),
});
export type ThousandCase = z.infer<typeof ThousandCase>;
