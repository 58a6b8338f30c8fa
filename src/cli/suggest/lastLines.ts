import type { ApiFailure, FailureType, KubeClient } from '@weeder/kube-runtime/client';
import type { LogTarget } from '../../suggest/messages/failingPods.ts';
import { requestLog } from '../../weeder/deletions/requestLog.ts';

/** The crash is at the end of a log. */
const logLines = 50;
/** A kubelet that is away must not stop the search. Milliseconds. */
const logTimeout = 5_000;
/** The pod is gone, or its container has no log. */
const hasNoLog: ReadonlySet<FailureType> = new Set(['notFound', 'rejected']);

/**
 * Reads the end of a log; empty if there is none, or if it cannot be read, such as when its node is away. `leaveOut` is
 * called for what cannot be read.
 */
export function createLastLines(
  client: KubeClient,
  leaveOut: (failure: ApiFailure, what: string) => void,
): (container: LogTarget) => Promise<readonly string[]> {
  const forbidden = new Set<string>();
  return async (container) => {
    const what = `pods/log in ${container.namespace}`;
    if (forbidden.has(what)) return [];
    const log = await requestLog(client, container, logLines, { timeoutMs: logTimeout });
    if (log.ok) return log.value;
    if (log.error.type === 'forbidden') forbidden.add(what);
    if (!hasNoLog.has(log.error.type)) leaveOut(log.error, what);
    return [];
  };
}
