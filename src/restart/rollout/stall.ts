import type { Clock } from '@weeder/kube-runtime/base';
import type { Observed } from '../patches/observed.ts';
import type { PodSummary } from '../pods/podSummary.ts';

/** Returns the time without progress after which the rollout of a workload has stalled: milliseconds. */
export function stallTimeOf({ summary, settings }: Pick<Observed, 'summary' | 'settings'>): number {
  return (settings?.stallAfter ?? Number.POSITIVE_INFINITY) + summary.normalPause;
}

/** Changes with each container that starts for the first time in its pod, which is progress. */
export function startsOf(pods: readonly PodSummary[]): string {
  return JSON.stringify(pods.map(({ uid, runningContainers }) => `${uid} ${runningContainers}`).sort());
}

/** Measures for how long a value has stayed the same, in milliseconds: 0 if it differs from the previous one. */
export function createStallTimer({ monotonic }: Pick<Clock, 'monotonic'>): (text: string) => number {
  let previous = '';
  let since = monotonic();
  return (text) => {
    if (text !== previous) since = monotonic();
    previous = text;
    return monotonic() - since;
  };
}
