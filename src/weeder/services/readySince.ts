import { objectOf, timeOf } from '@weeder/kube-runtime/base';
import type { ApiFailure, FailureType, KubeClient } from '@weeder/kube-runtime/client';
import { describeFailure } from '@weeder/kube-runtime/client';
import { trueConditions } from '@weeder/kube-runtime/objects';
import { podPath } from '../pods/podPath.ts';
import type { ReadyEvidence } from './readiness.ts';

/**
 * Since when a service has been ready, in epoch milliseconds: the earliest `Ready` transition among its ready backing
 * pods; undefined: it cannot be determined. Any time before `oldest` stands for all earlier times.
 */
export type ReadySince = (evidence: ReadyEvidence, oldest: number, signal: AbortSignal) => Promise<number | undefined>;

/** Differences up to this one between the API server's clock and the local clock are ignored. Milliseconds. */
const clockTolerance = 60_000;

/** Called for a pod that could not be read; `cause` is a message for a person. */
type ReportUnknown = (unknown: { readonly pod: string; readonly cause: string }) => void;

/**
 * Gets the backing pods one by one until it finds one that was ready before `oldest`. If no slice of the service was
 * written since `oldest`, it sends no request, because becoming ready writes a slice. `report` is called with the first
 * failure of each kind until a request succeeds again.
 */
export function readySinceThrough(client: Pick<KubeClient, 'call' | 'server'>, report: ReportUnknown): ReadySince {
  const reported = new Set<FailureType>();

  async function readyTransition(namespace: string, name: string, signal: AbortSignal): Promise<number | undefined> {
    const result = await client.call({ method: 'GET', path: podPath(namespace, name), signal });
    if (!result.ok) {
      if (isFirstReport(result.failure))
        report({ pod: `${namespace}/${name}`, cause: describeFailure(result.failure, client.server) });
      return undefined;
    }
    reported.clear();
    const conditions = trueConditions(objectOf(objectOf(result.body)['status']));
    return timeOf(conditions.find(({ type }) => type === 'Ready')?.['lastTransitionTime']);
  }

  /** A deleted pod and a cancelled request are normal, and are not reported. */
  function isFirstReport({ type }: ApiFailure): boolean {
    if (type === 'notFound' || type === 'cancelled' || reported.has(type)) return false;
    reported.add(type);
    return true;
  }

  return async (evidence, oldest, signal) => {
    const { namespace, lastWrite, backingPods } = evidence;
    if (lastWrite !== undefined && lastWrite + clockTolerance < oldest) return lastWrite;
    let earliest: number | undefined;
    for (const pod of backingPods ?? []) {
      const time = await readyTransition(namespace, pod, signal);
      if (time !== undefined && (earliest === undefined || time < earliest)) earliest = time;
      if (earliest !== undefined && earliest < oldest) return earliest;
    }
    return earliest;
  };
}
