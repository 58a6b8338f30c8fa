import { z } from 'zod';

const object = z.record(z.string(), z.unknown());

/** Somebody makes an application, or gives it another spec. */
export const replayApplication = z.strictObject({
  name: z.string(),
  manifests: z.array(object).default([]),
  observerSchema: z.unknown().optional(),
  mode: z.enum(['correct', 'detect']).default('correct'),
  /** A time since the start. */
  pausedUntil: z.string().optional(),
  deletionPolicy: z.enum(['delete', 'orphan']).default('delete'),
});

/** Somebody changes an object, such as `ConfigMap/settings`, by a merge patch. */
export const replayEdit = z.strictObject({ object: z.string(), patch: object });

/** From now on the API server answers so; without `as`, as ever. */
export const replayRefusal = z.strictObject({
  /** Such as `correct ConfigMap/settings`, or `correct` of everything. */
  what: z.string(),
  as: z
    .enum([
      'permanent',
      'transient',
      'conflict',
      'claimed',
      'forbidden',
      'typeMissing',
      'terminating',
      'namespaceTerminating',
    ])
    .optional(),
});

/** A kind of a group `example.org` is installed, or is no more. */
export const replayKind = z.strictObject({ kind: z.string(), isServed: z.boolean().default(true) });

export type ApplicationStep = z.output<typeof replayApplication>;
