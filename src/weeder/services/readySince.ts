import { arrayOf, objectOf, timeOf } from '../../base/json.ts';
import type { KubeClient } from '../../kube/client/client.ts';
import { describeFailure } from '../../kube/client/describeFailure.ts';
import type { ApiFailure, FailureKind } from '../../kube/client/failure.ts';
import { podPath } from '../pods/podPath.ts';
import type { BackingPod } from './endpointSlice.ts';
import type { ReadyEvidence } from './readiness.ts';

/**
 * Since when a service is ready, in epoch milliseconds: the earliest `Ready` transition among its ready backing pods
 *; undefined: it cannot be known. Whatever lies before `oldest` is as good as any other moment before it.
 */
export type ReadySince = (evidence: ReadyEvidence, oldest: number, signal: AbortSignal) => Promise<number | undefined>;

/** Differences between the API server's clock and ours that still count as the same time. Milliseconds. */
const clockTolerance = 60_000;

/** A pod that could not be asked about; `cause` is for a person. */
type ReportUnknown = (unknown: { readonly pod: string; readonly cause: string }) => void;

/**
 * Asks the API server for the backing pods, one after another, until one is found that was ready before `oldest`.
 * A service none of whose slices was written since `oldest` is not asked for: becoming ready writes a slice.
 * `report` is told of the first failure of each kind until there is an answer again.
 */
export function readySinceThrough(client: Pick<KubeClient, 'call' | 'server'>, report: ReportUnknown): ReadySince {
  const reported = new Set<FailureKind>();

  async function readyTransition({ namespace, name }: BackingPod, signal: AbortSignal): Promise<number | undefined> {
    const result = await client.call({ method: 'GET', path: podPath(namespace, name), signal });
    if (!result.ok) {
      if (isNews(result.failure))
        report({ pod: `${namespace}/${name}`, cause: describeFailure(result.failure, client.server) });
      return undefined;
    }
    reported.clear();
    const conditions = arrayOf(objectOf(objectOf(result.body)['status'])['conditions']).map(objectOf);
    const ready = conditions.find((condition) => condition['type'] === 'Ready' && condition['status'] === 'True');
    return timeOf(ready?.['lastTransitionTime']);
  }

  /** A pod that is gone, and a question that nobody asks any more, are part of the day. */
  function isNews({ kind }: ApiFailure): boolean {
    if (kind === 'notFound' || kind === 'cancelled' || reported.has(kind)) return false;
    reported.add(kind);
    return true;
  }

  return async (evidence, oldest, signal) => {
    const { lastWrite, backingPods } = evidence;
    if (lastWrite !== undefined && lastWrite + clockTolerance < oldest) return lastWrite;
    let earliest: number | undefined;
    for (const pod of backingPods ?? []) {
      const time = await readyTransition(pod, signal);
      if (time !== undefined && (earliest === undefined || time < earliest)) earliest = time;
      if (earliest !== undefined && earliest < oldest) return earliest;
    }
    return earliest;
  };
}
