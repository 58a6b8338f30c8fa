import { z } from 'zod';

/** The times of corrections in milliseconds, and their cost. */
const Drifts = z.object({
  count: z.number(),
  p50: z.number(),
  p90: z.number(),
  p99: z.number(),
  max: z.number(),
  /** From the first edit to the last correction. */
  total: z.number(),
  /** From the first edit to the response to the last edit. */
  edits: z.number(),
  /** CPU seconds. */
  cpu: z.number(),
  /** By verb, resource and outcome; weeder only. */
  requests: z.record(z.string(), z.number()).optional(),
});
export type Drifts = z.infer<typeof Drifts>;

/** A start until everything is observed. Times in milliseconds, CPU in seconds, memory in MiB. */
const Start = z.object({
  observed: z.number(),
  cpu: z.number(),
  /** Resident memory some seconds later. */
  rss: z.number(),
  peak: z.number(),
  requests: z.record(z.string(), z.number()).optional(),
});
export type Start = z.infer<typeof Start>;

const Candidate = z.object({
  /** A start before any object exists. */
  first: Start,
  /** A start when all objects exist. */
  again: Start,
  /** Open streams; weeder only. */
  streams: z.number().optional(),
  /** Per cent of a core at rest. */
  idleCpu: z.number(),
  /** A second at rest; weeder only. */
  idleRequests: z.number().optional(),
  single: Drifts,
  many: Drifts,
  all: Drifts,
  /** After all drifts. MiB. */
  afterRss: z.number(),
  peakRss: z.number(),
});
export type DriftCandidate = z.infer<typeof Candidate>;

/** The results for one number of applications. */
export const DriftCase = z.object({
  applications: z.number(),
  resources: z.number(),
  kinds: z.number(),
  /** How long it was measured at rest. Seconds. */
  idle: z.number(),
  bare: Candidate.optional(),
  weeder: Candidate.optional(),
});
export type DriftCase = z.infer<typeof DriftCase>;
