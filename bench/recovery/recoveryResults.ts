import { z } from 'zod';
import { coresModes } from '../support/cores.ts';

const Count = z.record(z.string(), z.number());

/** One candidate in one round. Times in milliseconds, CPU in seconds, memory in MiB. */
export const RecoveryRound = z.object({
  /** From the start of the process until its caches are synced. */
  startToSynced: z.number(),
  idleRss: z.number(),
  /** Per cent of one core. */
  idleCpu: z.number(),
  deletions: z.number(),
  /** Percentiles of the time from a service becoming ready to the DELETED event of its pod. */
  p50: z.number(),
  p90: z.number(),
  p99: z.number(),
  max: z.number(),
  /** From the first change of a service to the last DELETED event. */
  total: z.number(),
  /** In that time. */
  cpu: z.number(),
  /** In the two seconds after it: log lines, Events. */
  cpuAfter: z.number(),
  peakRss: z.number(),
  afterRss: z.number(),
  /** Metrics of weeder: requests by verb, resource and outcome, and bytes of its streams by resource. */
  requests: Count.optional(),
  bytes: Count.optional(),
  streams: z.number().optional(),
  loopDelay: z.object({ p99: z.number(), max: z.number() }).optional(),
});
export type RecoveryRound = z.infer<typeof RecoveryRound>;

/** All rounds with one number of namespaces, by candidate. */
export const RecoveryCase = z.object({
  cores: z.enum(coresModes),
  namespaces: z.number(),
  /** Crash-looping pods in each. */
  podsEach: z.number(),
  /** Recoveries in each round. */
  recoveries: z.number(),
  /** The size of one pod as JSON. Bytes. */
  podBytes: z.number(),
  /** The version of kube-apiserver. */
  server: z.string(),
  rounds: z.record(z.string(), z.array(RecoveryRound)),
});
export type RecoveryCase = z.infer<typeof RecoveryCase>;
