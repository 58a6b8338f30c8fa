import type { ObserverEvent, ReportObserver } from '../observer/model/events.ts';
import { limitedLabel, snakeCase } from './labels.ts';
import type { Metrics } from './metrics.ts';

/** The results of an apply, in the order in which they can occur. */
const results = ['created', 'updated', 'recreated', 'corrected', 'refused', 'failed', 'claimed'] as const;
type ApplyResult = (typeof results)[number];

/** Errors that a person can act on start at 0. */
const errors = ['forbidden', 'permanent', 'immutable', 'conflict', 'transient'] as const;
const mostErrors = 24;
/** Users install kinds of resources: this many have a series of their own. */
const mostKinds = 50;
const commonKinds = ['Deployment', 'Service', 'ConfigMap', 'Secret'] as const;

/** Counts the events of the application observer. */
export function countObserver(metrics: Metrics): ReportObserver {
  const errorOf = limitedLabel(mostErrors);
  const kindOf = limitedLabel(mostKinds);
  for (const result of results) metrics.resourceApplies.inc({ result }, 0);
  for (const kind of commonKinds) metrics.resourceDrifts.inc({ kind: kindOf(kind) }, 0);
  for (const error of errors) metrics.observerRetries.inc({ error: errorOf(error) }, 0);

  function applied(result: ApplyResult): void {
    metrics.resourceApplies.inc({ result });
  }

  function retried({ failure }: Extract<ObserverEvent, { readonly failure: string }>): void {
    metrics.observerRetries.inc({ error: errorOf(snakeCase(failure)) });
  }

  return (event) => {
    switch (event.type) {
      case 'resource.drifted':
        metrics.resourceDrifts.inc({ kind: kindOf(event.resource.kind) });
        break;
      case 'resource.corrected':
        applied('corrected');
        metrics.driftToCorrection.observe(event.took / 1_000);
        break;
      case 'resource.applied':
        applied(event.how);
        break;
      case 'resource.correctionBackOff':
        metrics.correctionBackoffs.inc();
        break;
      case 'resource.ownershipConflict':
        applied('claimed');
        break;
      case 'resource.refused':
        applied('refused');
        retried(event);
        break;
      case 'resource.failed':
        applied('failed');
        retried(event);
        break;
      case 'application.refused':
        retried(event);
        break;
      case 'actor.failed':
        metrics.actorFailures.inc();
        break;
    }
  };
}
