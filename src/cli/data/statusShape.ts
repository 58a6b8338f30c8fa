import { z } from 'zod';
import { apiVersion, listOf, Named } from './shapeParts.ts';

const Check = z.strictObject({
  name: z.string(),
  ok: z.boolean(),
  detail: z.string(),
});

const Line = z.strictObject({
  object: z.string(),
  words: z.string(),
  since: z.string().optional(),
  next: z.strictObject({ words: z.string(), at: z.string() }).optional(),
});

const Group = z.strictObject({
  total: z.number().describe('More than lines, if some are left out.'),
  lines: listOf(Line),
});

/** `weeder status`. */
export const Status = z.strictObject({
  apiVersion,
  kind: z.literal('Status'),
  pods: listOf(
    z.strictObject({
      ...Named,
      image: z.string(),
      phase: z.string(),
      ready: z.boolean(),
      restarts: z.number(),
      leases: listOf(z.strictObject({ name: z.string(), since: z.string().optional() })).describe(
        'The Leases by which it leads.',
      ),
      standsBy: z.boolean(),
      checks: listOf(Check).optional().describe('Those of its /readyz.'),
      overview: z
        .strictObject({
          dryRun: z.boolean(),
          controllers: listOf(
            z.strictObject({ name: z.string(), state: z.enum(['on', 'standby', 'off']), summary: z.string() }),
          ),
          needsAttention: listOf(Group),
          waits: listOf(Group),
        })
        .optional()
        .describe('That of its live page.'),
      numbers: listOf(
        z.strictObject({
          metric: z.string(),
          total: z.number(),
          parts: listOf(z.strictObject({ label: z.string(), value: z.number() })),
        }),
      )
        .optional()
        .describe('Gauges of its /metrics that are not zero, if the live page is off.'),
    }),
  ),
  remarks: listOf(z.string()),
});

/** What is known of a pod of weeder. */
export type PodStatus = z.output<typeof Status>['pods'][number];
