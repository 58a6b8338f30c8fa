import { z } from 'zod';
import type { ResponseFormat } from '../../recording/file/requests.ts';
import type { Answer, RefusalClass } from '../references/answer.ts';
import type { StoredCopy } from '../requests/jobRequests.ts';
import type { Digest, Digests } from '../sources/digests.ts';

const failures = [
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
] as const satisfies readonly RefusalClass[];

/** The API server's response to a request, without messages and content. */
export const restartResponse = z.discriminatedUnion('type', [
  z.object({ type: z.literal('ok'), value: z.unknown().optional() }),
  z.object({ type: z.literal('notFound') }),
  z.object({ type: z.literal('conflicted') }),
  z.object({ type: z.literal('refused'), failure: z.enum(failures), retryAfter: z.number().nonnegative() }),
]);

type RecordedResponse = z.infer<typeof restartResponse>;

/** The response to a request that has no recorded response. */
export const unansweredRestart: RecordedResponse = { type: 'refused', failure: 'network', retryAfter: 0 };
const reason = 'the recording has no answer to it';

/** Omits the reason of a refusal, because an API server may quote the request in it. */
export function answerFormat<T>(reduce: (value: T) => unknown, read: (value: unknown) => T): ResponseFormat<Answer<T>> {
  return {
    record: (answer) => recordedOf(answer, reduce),
    replay(recorded) {
      const answer = restartResponse.parse(recorded);
      if (answer.type === 'refused') return { ...answer, reason };
      return answer.type === 'ok' ? { type: 'ok', value: read(answer.value) } : answer;
    },
  };
}

function recordedOf<T>(answer: Answer<T>, reduce: (value: T) => unknown): RecordedResponse {
  if (answer.type === 'refused') return { type: 'refused', failure: answer.failure, retryAfter: answer.retryAfter };
  if (answer.type !== 'ok') return { type: answer.type };
  const value = reduce(answer.value);
  return value === undefined ? { type: 'ok' } : { type: 'ok', value };
}

const digest: z.ZodType<Digest> = z.object({
  tag: z.string(),
  keys: z
    .record(z.string(), z.string())
    .optional()
    .transform((keys) => keys),
  isAbsent: z.boolean(),
  isImmutable: z.boolean(),
  missing: z.array(z.string()),
});

const digestAnswer = answerFormat<Digest>(
  (value) => value,
  (value) => digest.parse(value),
);

/** The digest of a source, which a recorded response has in place of the content. */
export const digestFormat: ResponseFormat<Awaited<ReturnType<Digests['digestOf']>>> = {
  record: (found) => digestAnswer.record(found.type === 'ok' ? { type: 'ok', value: found.digest } : found),
  replay(recorded) {
    const answer = digestAnswer.replay(recorded);
    if (answer.type === 'ok') return { type: 'ok', digest: answer.value };
    return answer.type === 'refused' ? answer : { type: 'refused', failure: 'conflict', retryAfter: 0, reason };
  },
};

const job = z.object({ kind: z.literal('Job'), namespace: z.string(), name: z.string() });

const storedCopy: z.ZodType<StoredCopy> = z.object({
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

/** The digested Job may hold values, which a reader of the recording could guess and verify by the digest. */
export const copyFormat = answerFormat<StoredCopy>(
  ({ copy, isEarlier }) => ({ copy: { ...copy, digest: '' }, isEarlier }),
  (value) => storedCopy.parse(value),
);
