import { snakeCase } from '../../metrics/labels.ts';
import type { Metrics } from '../../metrics/metrics.ts';
import { readinessOf, readinessStates } from '../services/serviceStatus.ts';
import type { ShownWeeder } from '../weederController.ts';

/** Updates the gauges of the weeder. `shown` is undefined until it has been created. */
export function measureWeeder(metrics: Metrics, shown: Pick<ShownWeeder, 'counts' | 'services'> | undefined): void {
  const counts = shown?.counts();
  metrics.queueLength.set(counts?.queued ?? 0);
  metrics.inFlight.set(counts?.inFlight ?? 0);
  metrics.crashLoopingPods.set(counts?.crashLoopingPods ?? 0);
  const services = Map.groupBy(shown?.services() ?? [], readinessOf);
  for (const state of readinessStates)
    metrics.services.set({ state: snakeCase(state) }, services.get(state)?.length ?? 0);
}
