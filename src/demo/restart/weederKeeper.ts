import type { ReportRestart } from '../../restart/model/facts.ts';
import { createRestartPart, type RestartPart } from '../../restart/restartPart.ts';
import type { ShownWeeder } from '../storyOptions.ts';
import { type AtWorkOptions, weederAtWork } from '../weederAtWork.ts';
import type { Keeper } from './keeper.ts';
import { configText, weederHome, workloadCount } from './objects.ts';

interface WeederKeeperOptions extends Omit<AtWorkOptions<RestartPart>, 'config' | 'createPart' | 'onStarted'> {
  readonly report: ReportRestart;
  readonly onStarted: (started: ShownWeeder) => void;
}

/** The real weeder as one who keeps the shop. */
interface WeederKeeper extends Keeper {
  /** How many workloads are in which state; none while it is away. */
  states(): Readonly<Record<string, number>>;
}

/** States in which nothing is under way. */
const restful: ReadonlySet<string> = new Set(['current', 'blocked']);

export function weederKeeper({ report, onStarted, ...options }: WeederKeeperOptions): WeederKeeper {
  const weeder = weederAtWork({
    ...options,
    config: configText,
    createPart: (context) => createRestartPart({ ...context, ownNamespace: weederHome, report }),
    onStarted: (started) => onStarted({ ...started, workloads: () => weeder.part()?.control()?.entries() ?? [] }),
  });
  const states = () => weeder.part()?.control()?.counts().states ?? {};
  return {
    states,
    start: weeder.start,
    stop: weeder.stop,
    isSettled() {
      const now = Object.entries(states());
      const resting = now.reduce((sum, [state, count]) => sum + (restful.has(state) ? count : 0), 0);
      return weeder.part() === undefined || resting === workloadCount;
    },
  };
}
