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

const FieldErrors = listOf(z.strictObject({ path: z.string(), message: z.string() }));

const Fields = listOf(
  z.strictObject({
    path: z.string(),
    type: z
      .enum(['same', 'unobserved', 'changed', 'missing', 'excess', 'duplicate'])
      .describe('unobserved: the manifest has the field, and it is not corrected.'),
    desired: z.string().optional().describe('As JSON. Values of a Secret are left out.'),
    found: z.string().optional().describe('As JSON. Values of a Secret are left out.'),
    conflictingManager: z.string().optional().describe('The field manager that changed it.'),
  }),
);

/** `weeder explain application`. */
export const ApplicationExplanation = z.strictObject({
  apiVersion,
  kind: z.literal('ApplicationExplanation'),
  ...Named,
  state: z.string().describe('The worst of what its status says and of what is found now.'),
  mode: z.enum(['correct', 'detect']),
  deletionPolicy: z.enum(['delete', 'orphan']),
  resyncPeriod: z.string(),
  account: z.string().optional().describe('Absent if weeder uses its own permissions.'),
  pausedUntil: z.string().optional(),
  conditions: listOf(z.strictObject({ type: z.string(), status: z.string(), reason: z.string(), message: z.string() })),
  errors: FieldErrors,
  warnings: FieldErrors,
  unreadable: z.string().optional().describe('Why its resources cannot be read.'),
  advice: listOf(z.string()).describe('What the user can do.'),
  resources: listOf(
    z.strictObject({
      group: z.string().describe('Empty for the core group.'),
      kind: z.string(),
      ...Named,
      answer: z.string().describe('Its state.'),
      verdict: z.string().optional().describe('What weeder does about differences.'),
      details: listOf(z.string()),
      before: Fields.describe('The differences before this check, according to the status, which cuts long values.'),
      fields: Fields.describe('What the manifest or the observer schema has.'),
    }),
  ),
});
