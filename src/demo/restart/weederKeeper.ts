import type { Clock } from '../../clock.ts';
import { parseConfig } from '../../config/parse.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { Logger } from '../../log.ts';
import { type Controller, type ControllerOptions, startController } from '../../main.ts';
import type { ReportRestart } from '../../restart/facts.ts';
import { createRestartPart, type RestartPart } from '../../restart/restartPart.ts';
import type { WorkloadEntry } from '../../restart/workloadEntry.ts';
import type { Keeper } from './keeper.ts';
import { configText, weederHome, workloadCount } from './objects.ts';

export interface WeederKeeperOptions extends Pick<ControllerOptions, 'inspect' | 'reportProcess'> {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly report: ReportRestart;
  readonly onStarted: (started: StartedKeeper) => void;
}

/** What a page looks at: the controller, and the workloads that its restart control looks after. */
export interface StartedKeeper extends Controller {
  workloads(): Iterable<WorkloadEntry>;
}

/** The real weeder as it runs in a cluster, with the demo's config; each start is another process to it. */
export interface WeederKeeper extends Keeper {
  /** How many workloads are in which state; none while it is away. */
  states(): Readonly<Record<string, number>>;
}

/** States in which nothing is under way. */
const restful: ReadonlySet<string> = new Set(['current', 'held']);

export function weederKeeper(options: WeederKeeperOptions): WeederKeeper {
  const { clock, report, onStarted } = options;
  const config = parseConfig(configText, 'demo');
  if (!config.ok) throw new Error('the config of the demo is wrong');
  const its = { ...options, config: config.value };
  let controller: Controller | undefined;
  let part: RestartPart | undefined;
  const states = () => part?.control()?.counts().states ?? {};

  return {
    states,
    async start() {
      const started = startController({
        ...its,
        report: () => {},
        namespaces: 'all',
        concurrentDeletions: 32,
        isDryRun: false,
        others: [
          (context) => {
            part = createRestartPart({ ...context, ownNamespace: weederHome, report });
            return part;
          },
        ],
      });
      controller = started;
      onStarted({ ...started, workloads: () => part?.control()?.entries() ?? [] });
      while (started.state() === 'syncing') await new Promise<void>((resolve) => void clock.setTimeout(resolve, 50));
    },
    async stop() {
      controller?.shutdown();
      await controller?.stopped;
      part = undefined;
    },
    isSettled() {
      const now = Object.entries(states());
      const resting = now.reduce((sum, [state, count]) => sum + (restful.has(state) ? count : 0), 0);
      return part === undefined || resting === workloadCount;
    },
  };
}
