import { z } from 'zod';

const object = z.record(z.string(), z.unknown());

/** A client creates an application, or sets another spec. */
export const replayApplication = z.strictObject({
  name: z.string(),
  manifests: z.array(object).default([]),
  observerSchema: z.unknown().optional(),
  mode: z.enum(['correct', 'detect']).default('correct'),
  /** A time since the start. */
  pausedUntil: z.string().optional(),
  deletionPolicy: z.enum(['delete', 'orphan']).default('delete'),
});

/** A client changes an object, such as `ConfigMap/settings`, by a merge patch. */
export const replayEdit = z.strictObject({ object: z.string(), patch: object });

/** How the API server answers from now on; without `as`, as usual. */
export const replayRefusal = z.strictObject({
  /** Such as `correct ConfigMap/settings`, or `correct` for everything. */
  what: z.string(),
  as: z
    .enum(['permanent', 'transient', 'conflict', 'claimed', 'forbidden', 'typeMissing', 'namespaceTerminating'])
    .optional(),
});

/** A kind of a group `example.org` is installed, or removed. */
export const replayKind = z.strictObject({ kind: z.string(), isServed: z.boolean().default(true) });

export type ApplicationStep = z.output<typeof replayApplication>;
