import { blockCauses, pendingCauses } from '../restart/model/events.ts';
import type { Metrics } from './metrics.ts';

/** As much of restart control as is measured when somebody asks. */
interface RestartMeasures {
  /** How many workloads are in each state of their machine; a nested one by its innermost name. */
  readonly states: Readonly<Record<string, number>>;
  /** How many wait, and are held, by why; what is not named is none. */
  readonly pending: Readonly<Record<string, number>>;
  readonly blocked: Readonly<Record<string, number>>;
  /** How many ConfigMaps and Secrets are used by them. */
  readonly sources: number;
}

/** Those that a workload stays in; a workload passes through the others. */
const states = ['current', 'stale', 'waiting', 'rolling', 'stalled', 'suspended', 'blocked', 'backingOff'] as const;
const passing = 'passing';

/** Brings up to date how restart control stands. Undefined: it is not at work in this process. */
export function measureRestarts(metrics: Metrics, measured: RestartMeasures | undefined): void {
  const found = measured?.states ?? {};
  for (const state of states) metrics.managedWorkloads.set({ state }, found[state] ?? 0);
  const others = Object.entries(found).filter(([state]) => !states.some((each) => each === state));
  metrics.managedWorkloads.set(
    { state: passing },
    others.reduce((sum, [, number]) => sum + number, 0),
  );
  for (const reason of pendingCauses) metrics.restartsPending.set({ reason }, measured?.pending[reason] ?? 0);
  for (const reason of blockCauses) metrics.restartsHeld.set({ reason }, measured?.blocked[reason] ?? 0);
  metrics.restartSources.set(measured?.sources ?? 0);
}
