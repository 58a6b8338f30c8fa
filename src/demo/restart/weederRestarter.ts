import type { ReportRestart } from '../../restart/references/events.ts';
import { createRestartController } from '../../restart/restartController.ts';
import { createWeederProcess, type WeederProcessOptions } from '../weederProcess.ts';
import { configText, weederHome, workloadCount } from './objects.ts';
import type { Restarter } from './restarter.ts';

interface WeederRestarterOptions extends Omit<WeederProcessOptions, 'config' | 'create'> {
  readonly report: ReportRestart;
}

/** The real weeder as the restarter of the shop. */
interface WeederRestarter extends Restarter {
  /** The number of workloads in each state; empty while weeder is stopped. */
  states(): Readonly<Record<string, number>>;
}

/** States without pending work. */
const settledStates: ReadonlySet<string> = new Set(['current', 'blocked']);

export function createWeederRestarter({ report, ...options }: WeederRestarterOptions): WeederRestarter {
  const weeder = createWeederProcess({
    ...options,
    config: configText,
    create: (context) => ({ restart: createRestartController({ ...context, ownNamespace: weederHome, report }) }),
  });
  const control = () => weeder.controllers().restart?.shown();
  const states = () => control()?.counts().states ?? {};
  return {
    states,
    start: weeder.start,
    stop: weeder.stop,
    isSettled() {
      const now = Object.entries(states());
      const resting = now.reduce((sum, [state, count]) => sum + (settledStates.has(state) ? count : 0), 0);
      return control() === undefined || resting === workloadCount;
    },
  };
}
