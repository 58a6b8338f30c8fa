import { snakeCase } from '../../metrics/labels.ts';
import type { Metrics } from '../../metrics/metrics.ts';

/** The part of the application observer that is measured at each scrape. */
interface ObserverMeasures {
  /** The number of applications in each state of their machine; a nested state counts by its outermost name. */
  readonly applications: Readonly<Record<string, number>>;
  /** The number of resources in each state; those that are not observed count by what is known of them. */
  readonly resources: Readonly<Record<string, number>>;
}

/** The states that an application stays in; the others are transient. */
const applicationStates = ['observing', 'paused', 'invalid', 'backingOff', 'deleting'] as const;
const resourceStates = [
  'inSync',
  'drifted',
  'missing',
  'terminating',
  'claimed',
  'typeMissing',
  'refused',
  'backingOff',
  'unverified',
] as const;
const passing = 'passing';

/**
 * Updates the gauges of the application observer. `measured` is undefined if the observer does not run in this process.
 */
export function measureObserver(metrics: Metrics, measured: ObserverMeasures | undefined): void {
  set(metrics.applications, applicationStates, measured?.applications ?? {});
  set(metrics.applicationResources, resourceStates, asInStatus(measured?.resources ?? {}));
}

/**
 * A resource for which the last known good manifest is in force counts as refused, because its current manifest is; one
 * that waits for its kind counts as backing off, as in the status.
 */
function asInStatus({ usingLastApplied = 0, kindUnavailable = 0, ...counts }: Readonly<Record<string, number>>) {
  return {
    ...counts,
    refused: (counts['refused'] ?? 0) + usingLastApplied,
    backingOff: (counts['backingOff'] ?? 0) + kindUnavailable,
  };
}

function set(
  gauge: Metrics['applications'],
  states: readonly string[],
  counts: Readonly<Record<string, number>>,
): void {
  for (const state of states) gauge.set({ state: snakeCase(state) }, counts[state] ?? 0);
  const others = Object.entries(counts).filter(([state]) => !states.includes(state));
  gauge.set(
    { state: passing },
    others.reduce((sum, [, number]) => sum + number, 0),
  );
}
