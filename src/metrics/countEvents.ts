import type { Clock } from '../base/clock.ts';
import type { ReportWeeder, WeederEvent } from '../weeder/deletions/weederEvents.ts';
import { backOffLeft } from '../weeder/pods/backOff.ts';
import { limitedLabel, snakeCase } from './labels.ts';
import type { Metrics } from './metrics.ts';

/** Services have their own label value in the order of the config; those beyond this number share one. */
export const mostServices = 100;

const results = ['deleted', 'evicted', 'dry_run', 'recovered', 'not_found', 'blocked', 'expired', 'failed'] as const;
type DeletionResult = (typeof results)[number];

const resultOf = { delete: 'deleted', evict: 'evicted', dryRun: 'dry_run' } as const;
const reasons = ['barePod', 'mirrorPod', 'ignored'] as const;
const errors = ['network', 'timeout', 'throttled', 'unavailable', 'forbidden', 'unauthorized', 'invalid', 'other'];

/** Counts the events of the weeder. */
interface EventCounter {
  /** The listener for the next manager. Windows that the previous one left open no longer count as open. */
  next(): ReportWeeder;
  /** Starts the series of these services at 0, so that their first increase is visible as one. */
  begin(services: Iterable<string>): void;
}

export function countEvents(metrics: Metrics, { now }: Pick<Clock, 'now'>): EventCounter {
  const labelOf = limitedLabel(mostServices);
  const errorOf = limitedLabel(errors.length + 8);
  const shown = new Set<string>();
  let newest: object | undefined;

  for (const reason of reasons) metrics.podsSkipped.inc({ reason: snakeCase(reason) }, 0);
  for (const error of errors) metrics.retries.inc({ error: errorOf(error) }, 0);

  function countDeletion({ service }: { readonly service: string }, result: DeletionResult): void {
    metrics.deletions.inc({ service: labelOf(service), result });
  }

  function countDeleted(event: Extract<WeederEvent, { type: 'pod.deleted' }>): void {
    countDeletion(event, resultOf[event.how]);
    if (event.how === 'dryRun') return;
    metrics.recoveryToDeletion.observe(event.sinceOpened / 1000);
    if (event.isRepeated) return;
    metrics.backOffSaved.inc((backOffLeft(event.pod, now()) ?? 0) / 1000);
  }

  /** A manager that was replaced still reports final events, which no longer change the number of open windows. */
  function countOpen(by: number, { service }: { readonly service: string }, reporter: object): void {
    if (reporter !== newest) return;
    metrics.windowsOpen.inc({ service: labelOf(service) }, by);
    shown.add(labelOf(service));
  }

  function count(event: WeederEvent, reporter: object): void {
    switch (event.type) {
      case 'window.opened':
        metrics.windowsOpened.inc({ service: labelOf(event.service) });
        countOpen(1, event, reporter);
        break;
      case 'window.closed':
        countOpen(-1, event, reporter);
        break;
      case 'pod.deleted':
        countDeleted(event);
        break;
      case 'pod.skipped':
        metrics.podsSkipped.inc({ reason: snakeCase(event.reason) });
        break;
      case 'pod.recovered':
        countDeletion(event, 'recovered');
        break;
      case 'pod.removed':
        countDeletion(event, 'not_found');
        break;
      case 'deletion.expired':
        countDeletion(event, 'expired');
        break;
      case 'deletion.blocked':
        countDeletion(event, 'blocked');
        break;
      case 'deletion.failed':
        countDeletion(event, 'failed');
        break;
      case 'deletion.refused':
        metrics.retries.inc({ error: errorOf(snakeCase(event.failure)) });
        break;
      case 'actor.failed':
        metrics.actorFailures.inc();
        break;
      case 'service.ready':
      case 'service.notReady':
      case 'deletion.pending':
        break;
    }
  }

  return {
    next() {
      const reporter = {};
      newest = reporter;
      for (const service of shown) metrics.windowsOpen.set({ service }, 0);
      return (event) => count(event, reporter);
    },
    begin(services) {
      for (const name of services) {
        const service = labelOf(name);
        metrics.windowsOpened.inc({ service }, 0);
        metrics.windowsOpen.inc({ service }, 0);
        for (const result of results) metrics.deletions.inc({ service, result }, 0);
      }
    },
  };
}
