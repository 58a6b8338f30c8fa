import { z } from 'zod';
import { apiVersion, listOf, Named } from './shapeParts.ts';

const serviceState = z
  .enum(['ready', 'notReady', 'absent'])
  .describe('absent: there is no EndpointSlice of the service.');

const externalName = z.string().optional().describe('The DNS name of a Service of type ExternalName.');

const Dependants = listOf(
  z.strictObject({
    selector: z.string().describe('A podSelector, or declared.'),
    pods: z.number().describe('The number of pods that match.'),
    crashLooping: listOf(
      z.strictObject({
        ...Named,
        container: z.string(),
        containerKind: z.enum(['container', 'initContainer', 'sidecar']),
        restarts: z.number(),
        backOff: z.string(),
        verdict: z.string().describe('What weeder would do in a window.'),
      }),
    ),
    neverStarted: listOf(z.strictObject({ ...Named, container: z.string(), reason: z.string(), because: z.string() })),
  }),
);

/** `weeder explain` of a config. */
export const Explanation = z.strictObject({
  apiVersion,
  kind: z.literal('Explanation'),
  services: listOf(
    z.strictObject({
      name: z.string(),
      source: z.enum(['configured', 'declared']),
      settings: z.string(),
      namespaces: listOf(
        z.strictObject({
          namespace: z.string(),
          state: serviceState,
          externalName,
          dependants: Dependants,
        }),
      ),
    }),
  ),
  workloads: listOf(
    z.strictObject({
      kind: z.string(),
      ...Named,
      state: z.string().describe('What restart control sees and would do.'),
      details: listOf(z.string()),
    }),
  ),
  remarks: listOf(z.string()).describe('What else explain says, without -o.'),
});

/** `weeder explain pod`, `service` or `workload`. */
export const ObjectExplanation = z.strictObject({
  apiVersion,
  kind: z.literal('ObjectExplanation'),
  items: listOf(
    z.strictObject({
      kind: z.string(),
      ...Named,
      answer: z.string().describe('Why weeder acts on it or not.'),
      externalName,
      settings: z.string().optional().describe('Of a service.'),
      services: listOf(z.strictObject({ ...Named, state: serviceState, verdict: z.string().optional() }))
        .optional()
        .describe('Of a pod: the services that it depends on, and what weeder would do in a window of each.'),
      dependants: Dependants.optional().describe('Of a service.'),
      details: listOf(z.string()).optional().describe('Of a workload.'),
      events: listOf(z.strictObject({ time: z.string(), reason: z.string(), note: z.string() })).describe(
        'The Events of weeder about it, the newest last.',
      ),
    }),
  ),
  remarks: listOf(z.string()),
});
