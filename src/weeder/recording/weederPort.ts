import { z } from 'zod';
import type { Requests, ResponseFormat } from '../../recording/file/requests.ts';
import { type RetryAnswer, retryNothing } from '../creations/retryOwner.ts';
import type { DeletionAnswer } from '../deletions/deletePod.ts';
import type { ReadyEvidence } from '../services/readiness.ts';
import type { WeederOptions } from '../weeder.ts';

type WeederPort = Required<Pick<WeederOptions, 'deletePod' | 'readLog' | 'readySince' | 'ownerRequests'>>;

const reason = z.string();
const deletion = z.discriminatedUnion('type', [
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

const retry = z.discriminatedUnion('type', [
  z.object({ type: z.literal('retry.accepted'), existing: z.number() }),
  z.object({ type: z.literal('retry.unneeded') }),
  z.object({ type: z.literal('retry.notFound') }),
  z.object({ type: z.literal('retry.conflicted') }),
  z.object({ type: z.literal('retry.rejected'), reason }),
  z.object({
    type: z.literal('retry.failed'),
    reason,
    failure: z.string().exactOptional(),
    retryAfter: z.number().exactOptional(),
  }),
]);

/**
 * The response to a deletion, or to the retry of an object; the number of lines that were read of a log; or since when a service is ready, in epoch
 * milliseconds. Null: unknown.
 */
export const weederResponse = z.union([deletion, retry, z.number(), z.null()]);

/** A failure that is retried is `delete.refused` in a recording. */
const deletionFormat: ResponseFormat<DeletionAnswer> = {
  record: (answer) => (answer.type === 'delete.failed' ? { ...answer, type: 'delete.refused' } : answer),
  replay(recorded) {
    const { data = { type: 'delete.accepted' } } = deletion.safeParse(recorded);
    return data.type === 'delete.refused' ? { ...data, type: 'delete.failed' } : data;
  },
};

/** A recording has only the number of the lines. */
const logFormat: ResponseFormat<readonly string[] | undefined> = {
  record: (lines) => lines?.length ?? null,
  replay: (recorded) => (typeof recorded === 'number' ? Array.from({ length: recorded }, () => '') : undefined),
};

const ageFormat: ResponseFormat<number | undefined> = {
  record: (since) => since ?? null,
  replay: (recorded) => (typeof recorded === 'number' ? recorded : undefined),
};

const retryFormat: ResponseFormat<RetryAnswer> = {
  record: (answer) => answer,
  replay: (recorded) => retry.safeParse(recorded).data ?? { type: 'retry.unneeded' },
};

/** Only when it ended is recorded. */
const proofFormat: ResponseFormat<void> = { record: () => null, replay: () => {} };

/** The keys by which a replay finds the response to a request. */
export const weederRequests = {
  deletion: (uid: string) => `delete ${uid}`,
  log: (uid: string) => `log ${uid}`,
  retry: (uid: string) => `retry ${uid}`,
  awaitPod: (uid: string) => `awaitPod ${uid}`,
  readySince: ({ namespace, backingPods, lastWrite }: ReadyEvidence) =>
    `readySince ${backingPods?.map((name) => `${namespace}/${name}`).join(' ') ?? '?'} ${lastWrite ?? '?'}`,
};

export function isDeletion(request: string): boolean {
  return request.startsWith('delete ');
}

export function isReadySince(request: string): boolean {
  return request.startsWith('readySince ');
}

/** The requests of the weeder. `real`: sends them; a replay never calls it. */
export function weederPort(real: () => Pick<WeederOptions, keyof WeederPort>, { send, report }: Requests): WeederPort {
  const requests = () => real().ownerRequests ?? retryNothing;

  function reported<R>(request: string, call: () => Promise<R>, format: ResponseFormat<R>): Promise<R> {
    report({ out: 'requested', request });
    return send(request, call, format);
  }
  return {
    deletePod: (attempt, signal) =>
      reported(weederRequests.deletion(attempt.uid), () => real().deletePod(attempt, signal), deletionFormat),
    readLog: (pod, lines, signal) =>
      reported(weederRequests.log(pod.uid), () => real().readLog(pod, lines, signal), logFormat),
    ownerRequests: {
      retryOwner: (owner, signal, isRequested) =>
        reported(weederRequests.retry(owner.uid), () => requests().retryOwner(owner, signal, isRequested), retryFormat),
      awaitPod: (owner, existing, signal) =>
        reported(weederRequests.awaitPod(owner.uid), () => requests().awaitPod(owner, existing, signal), proofFormat),
    },
    readySince: (evidence, oldest, signal) =>
      reported(weederRequests.readySince(evidence), () => real().readySince(evidence, oldest, signal), ageFormat),
  };
}
