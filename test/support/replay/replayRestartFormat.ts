import { parseDuration } from '@weeder/kube-runtime/base';
import { z } from 'zod';

/** The requests of restart control that a replay can answer itself. */
export const restartRequestKinds = ['writes', 'sources', 'pods', 'evictions'] as const;
export type RestartRequestKind = (typeof restartRequestKinds)[number];

const kind = z.enum(['ConfigMap', 'Secret']).default('ConfigMap');
const namespace = z.string().default('shop');

export const replaySource = z.strictObject({
  name: z.string(),
  namespace,
  kind,
  data: z.record(z.string(), z.string()).default({}),
  immutable: z.boolean().default(false),
  skip: z.string().optional(),
});

export const sourceDeleted = z.strictObject({ name: z.string(), namespace, kind });

export const replayWorkload = z.strictObject({
  name: z.string(),
  namespace,
  /** Such as `settings#a`, `secret/login`, `settings#b?` if it is optional. */
  uses: z.array(z.string()).default([]),
  image: z.string().default('app:1'),
  paused: z.boolean().default(false),
  annotations: z.record(z.string(), z.string()).default({}),
  revisionHistoryLimit: z.int().default(10),
});

/** How long a rollout takes from now on; `never`: none completes. Milliseconds. */
export const rolloutTime = z.string().transform((text, context) => {
  if (text === 'never') return Number.POSITIVE_INFINITY;
  const read = parseDuration(text);
  if (read.ok && read.value >= 0) return read.value;
  context.issues.push({ code: 'custom', input: text, message: read.ok ? `found ${text}` : read.error });
  return z.NEVER;
});

export type SourceStep = z.output<typeof replaySource>;
export type WorkloadStep = z.output<typeof replayWorkload>;
