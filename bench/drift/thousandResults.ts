import { z } from 'zod';

/** What one of the two needed for the same. Milliseconds, and seconds of a core. */
const Cost = z.object({ ms: z.number(), cpu: z.number() });

const Pair = z.object({ bare: Cost, weeder: Cost });
export type Pair = z.infer<typeof Pair>;

/** Each of the two on a fresh control plane of its own. */
const Round = z.object({
  /** From the start of the process until everything is applied and observed; nothing is there before. */
  first: Pair,
  /** The same where everything is there. */
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

/** A thousand resources, as so many applications. */
export const ThousandCase = z.object({
  applications: z.number(),
  resources: z.number(),
  /** How many drift at once. */
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
