import type { Clock } from '@weeder/kube-runtime/base';
import { countByTable } from '../../metrics/countByTable.ts';
import { limitedLabel, snakeCase } from '../../metrics/labels.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import type { ReportWeeder, WeederEvent } from '../deletions/weederEvents.ts';
import { backOffSaved } from '../pods/backOff.ts';
import { type WeederOutcome, weederOutcomes, weederTable } from '../report/weederTable.ts';

/** Services have their own label value in the order of the config; those beyond this number share one. */
export const maxServices = 100;

const reasons = ['barePod', 'mirrorPod', 'ignored', 'jobWithoutRestarts'] as const;
const errors = ['network', 'timeout', 'throttled', 'unavailable', 'forbidden', 'unauthorized', 'invalid', 'other'];

const creationResults = {
  'creation.retried': 'retried',
  'creation.unneeded': 'unneeded',
  'creation.failed': 'failed',
} as const;

/** Counts the events of the weeder. */
interface EventCounter {
  /** The listener for the next manager. Windows that the previous one left open no longer count as open. */
  next(): ReportWeeder;
  /** Starts the series of these services at 0, so that their first increase is visible as one. */
  begin(services: Iterable<string>): void;
}

export function countWeeder(metrics: Metrics, { now }: Pick<Clock, 'now'>): EventCounter {
  const labelOf = limitedLabel(maxServices);
  const shown = new Set<string>();
  let newest: object | undefined;

  for (const result of Object.values(creationResults)) metrics.creationRetries.inc({ result }, 0);
  for (const reason of reasons) metrics.podsSkipped.inc({ reason: snakeCase(reason) }, 0);
  const countOutcome = countByTable<WeederEvent, WeederOutcome>(weederTable, {
    metrics,
    retries: metrics.retries,
    errors,
    maxErrors: errors.length + 8,
    count(event, result) {
      if ('service' in event) metrics.deletions.inc({ service: labelOf(event.service), result });
    },
  });

  function countDeleted(event: Extract<WeederEvent, { type: 'pod.deleted' }>): void {
    if (event.how === 'dryRun') return;
    metrics.recoveryToDeletion.observe(event.sinceOpened / 1000);
    metrics.backOffSaved.inc(backOffSaved(event, now()) / 1000);
  }

  function countCreation(event: WeederEvent): void {
    if (!('owner' in event) || event.type === 'creation.refused') return;
    const result = event.type === 'creation.retried' && event.isDryRun ? 'dry_run' : creationResults[event.type];
    metrics.creationRetries.inc({ result });
  }

  /** A manager that was replaced still reports final events, which no longer change the number of open windows. */
  function countOpen(by: number, { service }: { readonly service: string }, reporter: object): void {
    if (reporter !== newest) return;
    metrics.windowsOpen.inc({ service: labelOf(service) }, by);
    shown.add(labelOf(service));
  }

  function count(event: WeederEvent, reporter: object): void {
    if (event.type === 'window.opened') metrics.windowsOpened.inc({ service: labelOf(event.service) });
    if (event.type === 'window.opened') countOpen(1, event, reporter);
    if (event.type === 'window.closed') countOpen(-1, event, reporter);
    if (event.type === 'pod.deleted') countDeleted(event);
    if (event.type === 'pod.skipped') metrics.podsSkipped.inc({ reason: snakeCase(event.reason) });
    countCreation(event);
    countOutcome(event);
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
        for (const result of weederOutcomes) metrics.deletions.inc({ service, result }, 0);
      }
    },
  };
}
