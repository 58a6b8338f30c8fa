import { workloadKinds } from '../kube/objects/workloadKinds.ts';
import type { ReportRestart, RestartEvent, RestartHow } from '../restart/model/events.ts';
import type { ReportRead } from '../restart/requests/restartApi.ts';
import { limitedLabel, snakeCase } from './labels.ts';
import type { Metrics } from './metrics.ts';

/** The results of a restart, in the order in which they can occur. */
const results = ['restarted', 'dry_run', 'skipped', 'rolled_out', 'stalled', 'reverted'] as const;
type RestartResult = (typeof results)[number];

const kinds = Object.keys(workloadKinds);
const startedAs: Readonly<Record<RestartHow, RestartResult>> = {
  rollout: 'restarted',
  evict: 'restarted',
  recreate: 'restarted',
  replace: 'restarted',
  dryRun: 'dry_run',
};
/** Errors that a person can act on start at 0. */
const errors = [
  'forbidden',
  'invalid',
  'immutable',
  'budget',
  'otherUid',
  'throttled',
  'unavailable',
  'other',
] as const;
const mostErrors = 24;

/** Counts the events of restart control. */
export function countRestarts(metrics: Metrics): ReportRestart {
  const errorOf = limitedLabel(mostErrors);
  for (const error of errors) metrics.restartRetries.inc({ error: errorOf(snakeCase(error)) }, 0);
  for (const kind of kinds) {
    metrics.workloadsAdopted.inc({ kind }, 0);
    for (const result of results) metrics.workloadRestarts.inc({ kind, result }, 0);
  }

  function count({ workload: { kind } }: Extract<RestartEvent, { readonly workload: unknown }>, result: RestartResult) {
    metrics.workloadRestarts.inc({ kind, result });
  }

  return (event) => {
    switch (event.type) {
      case 'workload.adopted':
        metrics.workloadsAdopted.inc({ kind: event.workload.kind });
        break;
      case 'workload.restarted':
        count(event, startedAs[event.how]);
        break;
      case 'workload.rolledOut':
        count(event, 'rolled_out');
        metrics.changeToRollout.observe(event.sinceChange / 1000);
        break;
      case 'workload.skipped':
        count(event, 'skipped');
        break;
      case 'workload.stalled':
        count(event, 'stalled');
        break;
      case 'workload.reverted':
        count(event, 'reverted');
        break;
      case 'workload.refused':
        metrics.restartRetries.inc({ error: errorOf(snakeCase(event.failure)) });
        break;
      case 'actor.failed':
        metrics.actorFailures.inc();
        break;
    }
  };
}

/** Counts how often sources are read for hashing, by kind and result. */
export function countHashReads(metrics: Metrics): ReportRead {
  for (const kind of ['ConfigMap', 'Secret']) metrics.hashReads.inc({ kind, result: 'ok' }, 0);
  return (kind, result) => metrics.hashReads.inc({ kind, result: result === 'notFound' ? 'not_found' : result });
}
