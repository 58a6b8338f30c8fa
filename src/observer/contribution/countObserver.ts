import { countByTable } from '../../metrics/countByTable.ts';
import { limitedLabel } from '../../metrics/labels.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { ObserverEvent, ReportObserver } from '../objects/events.ts';
import { type ObserverOutcome, observerOutcomes, observerTable } from '../report/observerTable.ts';

const errors = ['forbidden', 'permanent', 'immutable', 'conflict', 'transient'];
/** Users install kinds of resources: this many have a series of their own. */
const maxKinds = 50;
const commonKinds = ['Deployment', 'Service', 'ConfigMap', 'Secret'];

/** Counts the events of the application observer. */
export function countObserver(metrics: Metrics): ReportObserver {
  const kindOf = limitedLabel(maxKinds);
  for (const result of observerOutcomes) metrics.resourceApplies.inc({ result }, 0);
  for (const kind of commonKinds) metrics.resourceDrifts.inc({ kind: kindOf(kind) }, 0);
  const countOutcome = countByTable<ObserverEvent, ObserverOutcome>(observerTable, {
    metrics,
    retries: metrics.observerRetries,
    errors,
    maxErrors: 24,
    count: (_event, result) => metrics.resourceApplies.inc({ result }),
  });
  return (event) => {
    countOutcome(event);
    if (event.type === 'resource.drifted') metrics.resourceDrifts.inc({ kind: kindOf(event.resource.kind) });
    if (event.type === 'resource.corrected') metrics.driftToCorrection.observe(event.took / 1_000);
    if (event.type === 'resource.correctionBackOff') metrics.correctionBackoffs.inc();
  };
}
