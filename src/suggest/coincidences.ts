import { formatDuration } from '@weeder/kube-runtime/base';
import type { Confidence, Dependency, Evidence } from '../dependencies/dependency.ts';
import type { RecordedChange } from './recordedChanges.ts';
import { type RecordedSpans, type ServiceOutages, spansOf, type WorkloadCrashes } from './spans.ts';

/** Which workloads began to crash-loop while a service of their namespace was down. */
export function coincidencesIn(changes: readonly RecordedChange[]): Dependency[] {
  const spans = spansOf(changes);
  return spans.workloads.flatMap((workload) =>
    spans.services
      .filter((service) => isCandidate(service, workload))
      .flatMap((service) => coincidence(service, workload, spans.whole)),
  );
}

/** Not the pods of the service itself: it is down because they crash. */
function isCandidate({ service, pods }: ServiceOutages, { workload, pods: crashed }: WorkloadCrashes): boolean {
  return service.namespace === workload.namespace && ![...crashed].some((pod) => pods.has(pod));
}

function coincidence(
  { service, outages }: ServiceOutages,
  { workload, began }: WorkloadCrashes,
  whole: RecordedSpans['whole'],
): Dependency[] {
  const isIn = (at: number) => outages.some(({ from, to }) => from <= at && at <= to);
  const inside = began.filter(isIn).length;
  if (inside === 0) return [];
  const total = Math.max(1, whole.to - whole.from);
  const share = outages.reduce((sum, { from, to }) => sum + to - from, 0) / total;
  const confidence = confidenceOf(inside, began.length - inside, share);
  const evidence: Evidence = {
    confidence,
    where: 'recording',
    found: `crash-looping began ${times(began.length)}, ${inside} of them during the ${outages.length === 1 ? '1 outage' : `${outages.length} outages`} of the service`,
    because: `it was down for ${Math.round(share * 100)} % of ${formatDuration(Math.round(total / 1_000) * 1_000)}`,
  };
  return [{ service, workload, sources: ['suggested'], isFound: true, confidence, evidence: [evidence] }];
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`;
}

/** A service that is down for most of the time coincides with everything. */
function confidenceOf(inside: number, outside: number, share: number): Confidence {
  if (share > 0.5) return 'low';
  if (inside >= 2 && outside === 0) return 'high';
  if (inside >= 2 && inside / (inside + outside) >= 0.8) return 'medium';
  return inside === 1 && outside === 0 && share <= 0.1 ? 'medium' : 'low';
}
