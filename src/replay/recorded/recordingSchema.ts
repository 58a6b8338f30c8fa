import { z } from 'zod';
import type { RecordedLine, RecordingHeader } from '../../recording/lines.ts';
import { weederEventKinds } from '../../recording/weeder/recordedWeederEvent.ts';
import { eventKind } from './eventKind.ts';
import { observerEntry } from './observerSchema.ts';
import { restartEntry } from './restartSchema.ts';

const reason = z.string();

const deletionResponse = z.discriminatedUnion('type', [
  z.object({ type: z.literal('delete.accepted') }),
  z.object({ type: z.literal('delete.notFound') }),
  z.object({ type: z.literal('delete.conflicted') }),
  z.object({ type: z.literal('delete.rejected'), reason }),
  z.object({
    type: z.literal('delete.refused'),
    reason,
    failure: z.string().exactOptional(),
    retryAfter: z.number().exactOptional(),
  }),
]);

/** A hundred years; longer times are invalid. Milliseconds. */
const longest = 100 * 365 * 86_400_000;
const stamp = { t: z.number().min(0).max(longest), wall: z.number().min(-longest).max(longest).exactOptional() };
const stream = z.string();
const object = z.looseObject({});

/** The lines of a recording after its header. */
export const recordedLine: z.ZodType<RecordedLine> = z.union([
  z.discriminatedUnion('in', [
    z.object({ ...stamp, in: z.literal('begin'), stream }),
    z.object({ ...stamp, in: z.literal('end'), stream, resourceVersion: z.string().exactOptional() }),
    z.object({ ...stamp, in: z.enum(['config', 'created']), config: z.looseObject({}) }),
    z.object({ ...stamp, in: z.enum(['ADDED', 'MODIFIED', 'DELETED']), stream, object }),
    z.object({ ...stamp, in: z.enum(['start', 'stop']) }),
    z.object({ ...stamp, in: z.literal('snapshotEnd'), isRunning: z.boolean(), windows: z.array(z.string()) }),
    z.object({ ...stamp, in: z.literal('readySince'), evidence: z.string(), since: z.number().nullable() }),
    z.object({ ...stamp, in: z.literal('response'), uid: z.string(), response: deletionResponse }),
    z.object({ ...stamp, in: z.literal('random'), value: z.number() }),
  ]),
  z.object({ ...stamp, restart: restartEntry }),
  z.object({ ...stamp, observer: observerEntry }),
  z.object({ ...stamp, out: z.literal('readySince.requested'), evidence: z.string() }),
  z.object({ ...stamp, out: z.literal('deletion.requested'), uid: z.string(), resourceVersion: z.string() }),
  z.object({
    ...stamp,
    out: eventKind(weederEventKinds),
    about: z.string(),
    window: z.number().exactOptional(),
    pod: z.string().exactOptional(),
    detail: z.string(),
  }),
]);

/** The first line of a recording. */
export const recordingHeader: z.ZodType<RecordingHeader> = z.object({
  weeder: z.literal('recording'),
  version: z.number(),
  weederVersion: z.string(),
  startedAt: z.iso.datetime(),
  part: z.int().positive(),
  namespaces: z.union([z.literal('all'), z.array(z.string())]),
  concurrentDeletions: z.int().positive(),
  isDryRun: z.boolean(),
  config: z.looseObject({}),
  streams: z
    .array(
      z.object({
        name: z.string(),
        group: z.string(),
        path: z.string(),
        kind: z.enum(['EndpointSlice', 'Pod']),
        labelSelector: z.string(),
        covers: z.array(z.string()),
        isSynced: z.boolean(),
      }),
    )
    .exactOptional(),
});
