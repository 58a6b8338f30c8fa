import { type JsonObject, objectOf, textOf } from '@weeder/kube-runtime/base';
import { z } from 'zod';
import type { ResponseFormat } from '../../recording/file/requests.ts';
import type { ApplyFailureType, Outcome } from '../objects/applyFailure.ts';
import type { Applied, DryRun, RestMapping } from '../plan/resourceApi.ts';

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
] as const satisfies readonly ApplyFailureType[];

/** The API server's response to a request, without messages and without values of Secrets. */
export const observerResponse = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ok'), value: z.unknown().optional() }),
  z.object({
    type: z.literal('failed'),
    failure: z.enum(failures),
    retryAfter: z.number().nonnegative(),
    /** The other application, if it is the reason. */
    by: z.string().exactOptional(),
  }),
]);

/** The response to a request that has no recorded response. */
export const unansweredObserver: z.infer<typeof observerResponse> = {
  type: 'failed',
  failure: 'transient',
  retryAfter: 0,
};

/** Omits the message of a failure, because an API server may quote the request in it. */
export function outcomeFormat<T>(
  reduce: (value: T) => unknown,
  read: (value: unknown) => T,
): ResponseFormat<Outcome<T>> {
  return {
    record(outcome) {
      if (!outcome.ok) {
        const { type: failure, retryAfter, by } = outcome.failure;
        return { type: 'failed', failure, retryAfter, ...(by === undefined ? {} : { by }) };
      }
      const value = reduce(outcome.value);
      return value === undefined ? { type: 'ok' } : { type: 'ok', value };
    },
    replay(recorded) {
      const response = observerResponse.parse(recorded);
      if (response.type === 'ok') return { ok: true, value: read(response.value) };
      const { failure, ...details } = response;
      const reason = `${failure}: the recording does not contain the message.`;
      return { ok: false, failure: { fields: [], ...details, type: failure, reason } };
    },
  };
}

const object = z.looseObject({});
const applied: z.ZodType<Applied> = z.object({ object, hasChanged: z.boolean(), isNew: z.boolean() });
const dryRun: z.ZodType<DryRun> = z.object({ object, isIndependent: z.boolean() });
const mapping: z.ZodType<RestMapping> = z.object({
  group: z.string(),
  version: z.string(),
  kind: z.string(),
  plural: z.string(),
  isNamespaced: z.boolean(),
});

type Reduce = (object: JsonObject) => JsonObject;

/** A response whose value contains an object, which is reduced. */
function objectFormat<T extends { readonly object: JsonObject }>(schema: z.ZodType<T>) {
  return (reduce: Reduce) =>
    outcomeFormat<T>(
      (value) => ({ ...value, object: reduce(value.object) }),
      (value) => schema.parse(value),
    );
}

/** `otherwise`: the value of a recorded response without one. */
function flagFormat(otherwise: boolean) {
  return outcomeFormat<boolean>(
    (is) => is,
    (value) => (typeof value === 'boolean' ? value : otherwise),
  );
}

export const responseFormats = {
  nothing: outcomeFormat<undefined>(
    () => undefined,
    () => undefined,
  ),
  deleted: outcomeFormat<string | undefined>((mark) => mark, textOf),
  permitted: flagFormat(true),
  terminating: flagFormat(false),
  mapping: outcomeFormat<RestMapping>(
    (found) => found,
    (value) => mapping.parse(value),
  ),
  object: (reduce: Reduce) => outcomeFormat(reduce, objectOf),
  live: (reduce: Reduce) =>
    outcomeFormat<JsonObject | undefined>(
      (live) => (live === undefined ? undefined : reduce(live)),
      (value) => (value === undefined ? undefined : objectOf(value)),
    ),
  applied: objectFormat(applied),
  dryRun: objectFormat(dryRun),
};
