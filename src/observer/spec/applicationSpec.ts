import { formatDuration } from '@weeder/kube-runtime/base';
import { dnsSubdomain } from '@weeder/kube-runtime/objects';
import { z } from 'zod';
import { type Path, quoted } from '../../base/fieldError.ts';
import { duration } from '../../config/schema/durationSchema.ts';
import { nameOf, optional, withDefault } from '../../config/schema/selectorSchema.ts';
import { keysBelow } from '../../config/text/keys.ts';

/** Milliseconds. A shorter period would be polling, and the API server also accepts `-5s` and `1d` as durations. */
const shortestResync = 5_000;
const longestResync = 24 * 3_600_000;

const resyncPeriod = duration('aboveZero').refine((period) => period >= shortestResync && period <= longestResync, {
  error: ({ input }) => `found ${formatDuration(Number(input))}, must be from 5s to 24h`,
});

/** RFC 3339 with a time zone: `2026-01-01` alone is ambiguous. */
const instant = z.iso.datetime({ offset: true, error: wrongTime }).transform((text) => Date.parse(text));

function wrongTime({ input }: { readonly input?: unknown }): string | undefined {
  if (typeof input !== 'string') return undefined;
  return `found ${quoted(input)}; a time is written like 2026-11-21T18:00:00Z, with its zone`;
}

/** To recreate an object of these kinds would delete its content. */
const neverRecreated = /^(?:Namespace|CustomResourceDefinition|PersistentVolumeClaim)\//;

const resource = z
  .string()
  .regex(/^[A-Za-z][A-Za-z0-9]*\/[^/%]+$/, {
    error: ({ input }) => `found ${quoted(String(input))}; a resource is named like Job/migrate`,
  })
  .refine((text) => !neverRecreated.test(text), {
    error: 'to recreate a Namespace, CustomResourceDefinition or PersistentVolumeClaim would delete its content',
  });

const container = z.string().regex(/^(?:Namespace|CustomResourceDefinition)\/[^/%]+$/, {
  error: ({ input }) => `found ${quoted(String(input))}; allowed are Namespace/NAME and CustomResourceDefinition/NAME`,
});

/** The spec except for the content of manifests and observerSchema, which have their own readers. */
export const applicationSpec = z.strictObject({
  manifests: z.unknown().optional(),
  observerSchema: z.unknown().optional(),
  mode: withDefault(z.enum(['correct', 'detect']), 'correct'),
  pausedUntil: optional(instant),
  resyncPeriod: withDefault(resyncPeriod, '30s'),
  deletionPolicy: withDefault(z.enum(['delete', 'orphan']), 'delete'),
  recreate: optional(z.array(resource)),
  deleteWithContents: optional(z.array(container)),
  serviceAccountName: optional(nameOf(dnsSubdomain)),
});

/** Returns the keys that the mapping at a path of the object may have, if the path is in the spec. */
export function specKeysAt([top, ...path]: Path): readonly string[] {
  return top === 'spec' ? keysBelow(applicationSpec, path) : [];
}
