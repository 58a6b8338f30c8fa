import type { Clock } from '@weeder/kube-runtime/base';
import type { ApiFailure, FailureType, KubeClient } from '@weeder/kube-runtime/client';
import { describeFailure } from '@weeder/kube-runtime/client';
import { createLimitedQueue } from '@weeder/kube-runtime/queue';
import type { CrashLoopingPod } from '../pods/crashLooping.ts';
import { requestLog } from './requestLog.ts';

/**
 * Reads the last lines of the log of a pod's crashed container, 4 KiB at most; undefined: they cannot be read now. The
 * promise never rejects.
 */
export type ReadLog = (
  pod: CrashLoopingPod,
  lines: number,
  signal: AbortSignal,
) => Promise<readonly string[] | undefined>;

export const readNoLog: ReadLog = () => Promise.resolve(undefined);

/** Called for a log that could not be read; `cause` is a message for a person. */
type ReportUnread = (unread: { readonly pod: string; readonly cause: string }) => void;

/** The API server passes each read on to a kubelet, and a burst of reads must not occupy it. */
const readsAtOnce = 8;
/** How long no log is read after a refusal, or after a read without an answer. Milliseconds. */
const pauseAfter: Partial<Readonly<Record<FailureType, number>>> = { forbidden: 60_000, timeout: 10_000 };
/**
 * A request that is given up later than this was given up for its time limit, and not because its pod has changed. A
 * read whose turn comes later than this is not sent, because there is no time for the response. Milliseconds.
 */
const patience = 400;
const unanswered: ApiFailure = { type: 'timeout', message: 'the log was not received within 500 ms' };
/** The pod is gone or has changed, or its container has no log. */
const normal: ReadonlySet<FailureType> = new Set(['notFound', 'cancelled', 'rejected']);

/**
 * Reads logs through the API server, eight at a time: the others wait for their turn until their `signal` is aborted.
 * `report` is called with the first failure of each kind until a read succeeds again.
 */
export function readLogThrough(
  client: Pick<KubeClient, 'call' | 'server'>,
  clock: Clock,
  report: ReportUnread,
): ReadLog {
  const queue = createLimitedQueue(() => ({ atOnce: readsAtOnce }));
  const reported = new Set<FailureType>();
  let pausedUntil = 0;

  async function read(
    pod: CrashLoopingPod,
    lines: number,
    signal: AbortSignal,
    since: number,
  ): Promise<readonly string[] | undefined> {
    const now = clock.monotonic();
    if (signal.aborted || now < pausedUntil || now - since > patience) return undefined;
    let sentAt = Number.POSITIVE_INFINITY;
    const recordSent = () => {
      sentAt = Math.min(sentAt, clock.monotonic());
      return true;
    };
    const log = await requestLog(client, pod, lines, { rank: 'last', signal, isNeeded: recordSent });
    const isLate = signal.aborted && clock.monotonic() - sentAt > patience;
    if (!log.ok) return recordFailure(`${pod.namespace}/${pod.name}`, isLate ? unanswered : log.error);
    reported.clear();
    return log.value;
  }

  function recordFailure(pod: string, failure: ApiFailure): undefined {
    const { type } = failure;
    const pause = pauseAfter[type];
    if (pause !== undefined) pausedUntil = clock.monotonic() + pause;
    if (normal.has(type) || reported.has(type)) return;
    reported.add(type);
    report({ pod, cause: describeFailure(failure, client.server) });
  }

  return (pod, lines, signal) => {
    const { promise, resolve } = Promise.withResolvers<readonly string[] | undefined>();
    const since = clock.monotonic();
    let isReading = false;
    const leave = queue.enter({
      onGranted(release) {
        isReading = true;
        resolve(read(pod, lines, signal, since).finally(release));
      },
    });
    const onAbort = () => {
      if (isReading) return;
      leave();
      resolve(undefined);
    };
    signal.addEventListener('abort', onAbort, { once: true });
    return promise;
  };
}
