import { workloadKinds } from '@weeder/kube-runtime/objects';
import { countByTable } from '../../metrics/countByTable.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { ReportRestart, RestartEvent } from '../references/events.ts';
import { type RestartOutcome, restartOutcomes, restartTable } from '../report/restartTable.ts';
import type { ReportRead } from '../requests/restartApi.ts';

const errors = ['forbidden', 'invalid', 'immutable', 'budget', 'otherUid', 'throttled', 'unavailable', 'other'];

/** Counts the events of restart control. */
export function countRestart(metrics: Metrics): ReportRestart {
  for (const kind of Object.keys(workloadKinds)) {
    metrics.workloadsAdopted.inc({ kind }, 0);
    for (const result of restartOutcomes) metrics.workloadRestarts.inc({ kind, result }, 0);
  }
  for (const result of ['evicted', 'dry_run']) metrics.waitingPodsEvicted.inc({ result }, 0);
  const countOutcome = countByTable<RestartEvent, RestartOutcome>(restartTable, {
    metrics,
    retries: metrics.restartRetries,
    errors,
    maxErrors: 24,
    count(event, result) {
      if ('workload' in event) metrics.workloadRestarts.inc({ kind: event.workload.kind, result });
    },
  });
  return (event) => {
    countOutcome(event);
    if (event.type === 'workload.adopted') metrics.workloadsAdopted.inc({ kind: event.workload.kind });
    if (event.type === 'pod.evicted')
      metrics.waitingPodsEvicted.inc({ result: event.isDryRun ? 'dry_run' : 'evicted' });
    if (event.type === 'workload.rolledOut') metrics.changeToRollout.observe(event.sinceChange / 1000);
  };
}

/** Counts how often sources are read for hashing, by kind and result. */
export function countHashReads(metrics: Metrics): ReportRead {
  for (const kind of ['ConfigMap', 'Secret']) metrics.hashReads.inc({ kind, result: 'ok' }, 0);
  return (kind, result) => metrics.hashReads.inc({ kind, result: result === 'notFound' ? 'not_found' : result });
}
