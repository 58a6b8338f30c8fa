import { z } from 'zod';
import { restartEventKinds } from '../../recording/restart/recordedRestartEvent.ts';
import type { RecordedResponse, RestartEntry } from '../../recording/restart/restartLines.ts';
import type { StoredCopy } from '../../restart/requests/jobRequests.ts';
import type { Digest } from '../../restart/sources/digests.ts';
import { eventKind } from './eventKind.ts';

const failure = z.enum([
  'notFound',
  'conflict',
  'expired',
  'throttled',
  'unauthorized',
  'forbidden',
  'invalid',
  'unavailable',
  'rejected',
  'network',
  'timeout',
  'badAnswer',
  'credentials',
  'cancelled',
  'budget',
  'otherUid',
  'immutable',
]);

const response: z.ZodType<RecordedResponse> = z.discriminatedUnion('is', [
  z.object({ is: z.literal('ok'), value: z.unknown().optional() }),
  z.object({ is: z.literal('notFound') }),
  z.object({ is: z.literal('conflicted') }),
  z.object({ is: z.literal('refused'), failure, retryAfter: z.number().nonnegative() }),
]);

const stream = z.string();
const config = z.looseObject({});

/** A line of restart control, without its time. */
export const restartEntry: z.ZodType<RestartEntry['restart']> = z.union([
  z.discriminatedUnion('in', [
    z.object({ in: z.enum(['created', 'config']), config }),
    z.object({ in: z.enum(['start', 'stop', 'keysRead']) }),
    z.object({ in: z.literal('begin'), stream }),
    z.object({ in: z.literal('end'), stream, resourceVersion: z.string().exactOptional() }),
    z.object({ in: z.enum(['ADDED', 'MODIFIED', 'DELETED']), stream, object: z.looseObject({}) }),
    z.object({ in: z.literal('keys'), current: z.string(), ids: z.array(z.string()) }),
    z.object({ in: z.literal('response'), request: z.string(), response }),
    z.object({ in: z.literal('hash'), request: z.string(), hash: z.string() }),
    z.object({ in: z.literal('random'), value: z.number() }),
    z.object({ in: z.literal('snapshotEnd'), busy: z.array(z.string()) }),
    z.object({ in: z.literal('settled'), workload: z.string() }),
  ]),
  z.object({
    out: eventKind(restartEventKinds),
    about: z.string(),
    detail: z.string(),
  }),
]);

/** The digest of a source, which a recorded response has in place of the content. */
export const recordedDigest: z.ZodType<Digest> = z.object({
  tag: z.string(),
  keys: z
    .record(z.string(), z.string())
    .optional()
    .transform((keys) => keys),
  isAbsent: z.boolean(),
  isImmutable: z.boolean(),
  missing: z.array(z.string()),
});

const job = z.object({ kind: z.literal('Job'), namespace: z.string(), name: z.string() });

/** A Job and its copy, without their content. */
export const recordedCopy: z.ZodType<StoredCopy> = z.object({
  copy: z.object({
    ref: job,
    job,
    jobUid: z.string(),
    jobVersion: z.string(),
    digest: z.string(),
    keyId: z.string(),
    seal: z.string(),
  }),
  isEarlier: z.boolean(),
});
