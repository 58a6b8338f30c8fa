import { z } from 'zod';
import type { ApplyFailureKind } from '../../observer/model/applyFailure.ts';
import type { Applied, DryRun, RestMapping } from '../../observer/plan/resourceApi.ts';
import type { ObserverEntry, ObserverInput, RecordedObserverResponse } from '../../recording/observer/observerLines.ts';
import { observerEventKinds } from '../../recording/observer/recordedObserverEvent.ts';
import { eventKind } from './eventKind.ts';

const failures = [
  'missing',
  'typeMissing',
  'conflict',
  'claimed',
  'immutable',
  'permanent',
  'namespaceTerminating',
  'forbidden',
  'transient',
  'cancelled',
  'otherUid',
  'terminating',
] as const satisfies readonly ApplyFailureKind[];

const response: z.ZodType<RecordedObserverResponse> = z.discriminatedUnion('is', [
  z.object({ is: z.literal('ok'), value: z.unknown().optional() }),
  z.object({
    is: z.literal('failed'),
    failure: z.enum(failures),
    retryAfter: z.number().nonnegative(),
    by: z.string().exactOptional(),
  }),
]);

const scalar = z.union([z.string(), z.number(), z.boolean(), z.null()]);

const list = z.discriminatedUnion('is', [
  z.object({ is: z.literal('map'), keys: z.array(z.string()), defaults: z.record(z.string(), scalar) }),
  z.object({ is: z.enum(['set', 'atomic', 'unknown']) }),
]);

const stream = z.string();
const config = z.looseObject({});

const input: z.ZodType<ObserverInput> = z.discriminatedUnion('in', [
  z.object({ in: z.enum(['created', 'config']), config }),
  z.object({ in: z.enum(['start', 'stop']) }),
  z.object({ in: z.literal('begin'), stream }),
  z.object({ in: z.literal('lost'), stream }),
  z.object({ in: z.literal('resumed'), stream }),
  z.object({ in: z.literal('closed'), stream }),
  z.object({ in: z.literal('end'), stream, resourceVersion: z.string().exactOptional() }),
  z.object({ in: z.enum(['ADDED', 'MODIFIED', 'DELETED']), stream, object: z.looseObject({}) }),
  z.object({ in: z.literal('response'), request: z.string(), response }),
  z.object({
    in: z.literal('schemaNode'),
    kind: z.string(),
    path: z.array(z.string()),
    list,
    map: z.enum(['granular', 'atomic']),
  }),
  z.object({ in: z.literal('hash'), of: z.string(), hash: z.string() }),
  z.object({ in: z.literal('random'), value: z.number() }),
  z.object({ in: z.literal('snapshotEnd'), busy: z.array(z.string()) }),
  z.object({ in: z.literal('settled'), application: z.string() }),
]);

/** A line of the application observer, without its time. */
export const observerEntry: z.ZodType<ObserverEntry['observer']> = z.union([
  input,
  z.object({
    out: eventKind(observerEventKinds),
    about: z.string(),
    detail: z.string(),
  }),
]);

const object = z.looseObject({});

/** The value in a response to an apply. */
export const recordedApplied: z.ZodType<Applied> = z.object({ object, hasChanged: z.boolean(), isNew: z.boolean() });

export const recordedTried: z.ZodType<DryRun> = z.object({ object, isIndependent: z.boolean() });

export const recordedKind: z.ZodType<RestMapping> = z.object({
  group: z.string(),
  version: z.string(),
  kind: z.string(),
  plural: z.string(),
  isNamespaced: z.boolean(),
});
