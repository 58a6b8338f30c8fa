import { snakeCase } from '../../metrics/labels.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import { blockCauses, pendingCauses } from '../references/events.ts';

/** The part of restart control that is measured at each scrape. */
interface RestartMeasures {
  /** The number of workloads in each state of their machine; a nested state counts by its innermost name. */
  readonly states: Readonly<Record<string, number>>;
  /** The number of pending and blocked restarts, by cause; a missing cause has none. */
  readonly pending: Readonly<Record<string, number>>;
  readonly blocked: Readonly<Record<string, number>>;
  /** The number of ConfigMaps and Secrets that they use. */
  readonly sources: number;
}

/** The states that a workload stays in. All others are counted as `passing`. */
const states = ['current', 'stale', 'waiting', 'rolling', 'stalled', 'suspended', 'blocked', 'backingOff'] as const;
const passing = 'passing';

/** Updates the gauges of restart control. `measured` is undefined if restart control does not run in this process. */
export function measureRestart(metrics: Metrics, measured: RestartMeasures | undefined): void {
  const counts = measured?.states ?? {};
  for (const state of states) metrics.managedWorkloads.set({ state: snakeCase(state) }, counts[state] ?? 0);
  const others = Object.entries(counts).filter(([state]) => !states.some((each) => each === state));
  metrics.managedWorkloads.set(
    { state: passing },
    others.reduce((sum, [, number]) => sum + number, 0),
  );
  for (const reason of pendingCauses)
    metrics.restartsPending.set({ reason: snakeCase(reason) }, measured?.pending[reason] ?? 0);
  for (const reason of blockCauses)
    metrics.restartsBlocked.set({ reason: snakeCase(reason) }, measured?.blocked[reason] ?? 0);
  metrics.restartSources.set(measured?.sources ?? 0);
}
