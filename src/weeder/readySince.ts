import { arrayOf, objectOf, timeOf } from '../json.ts';
import type { KubeClient } from '../kube/client.ts';
import type { BackingPod } from './endpointSlice.ts';
import { podPath } from './podPath.ts';
import type { ReadyEvidence } from './readiness.ts';

/**
 * Since when a service is ready, in epoch milliseconds: the earliest `Ready` transition among its ready backing pods
 * (design §2.2); undefined: it cannot be known. Whatever lies before `oldest` is as good as any other moment before it.
 */
export type ReadySince = (evidence: ReadyEvidence, oldest: number, signal: AbortSignal) => Promise<number | undefined>;

/** Differences between the API server's clock and ours that still count as the same time. Milliseconds. */
const clockTolerance = 60_000;

/**
 * Asks the API server for the backing pods, one after another, until one is found that was ready before `oldest`.
 * A service none of whose slices was written since `oldest` is not asked for: becoming ready writes a slice.
 */
export function readySinceThrough(client: KubeClient): ReadySince {
  return async (evidence, oldest, signal) => {
    const { lastWrite, backingPods } = evidence;
    if (lastWrite !== undefined && lastWrite + clockTolerance < oldest) return lastWrite;
    let earliest: number | undefined;
    for (const pod of backingPods ?? []) {
      const time = await readyTransition(client, pod, signal);
      if (time !== undefined && (earliest === undefined || time < earliest)) earliest = time;
      if (earliest !== undefined && earliest < oldest) return earliest;
    }
    return earliest;
  };
}

async function readyTransition(client: KubeClient, pod: BackingPod, signal: AbortSignal): Promise<number | undefined> {
  const result = await client.call({ method: 'GET', path: podPath(pod.namespace, pod.name), signal });
  if (!result.ok) return undefined;
  const conditions = arrayOf(objectOf(objectOf(result.body)['status'])['conditions']).map(objectOf);
  const ready = conditions.find((condition) => condition['type'] === 'Ready' && condition['status'] === 'True');
  return timeOf(ready?.['lastTransitionTime']);
}
