import type { Clock } from '../../clock.ts';
import { parseConfig } from '../../config/parse.ts';
import type { KubeClient } from '../../kube/client.ts';
import type { Logger } from '../../log.ts';
import { type Controller, type ControllerOptions, startController } from '../../main.ts';
import type { ReportObserver } from '../../observer/facts.ts';
import { createObserverPart, type ObserverPart } from '../../observer/observerPart.ts';
import { configText } from './objects.ts';

export interface AtWorkOptions extends Pick<ControllerOptions, 'inspect' | 'reportProcess'> {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly report: ReportObserver;
  readonly onStarted: (controller: Controller) => void;
}

/** The real weeder as it runs in a cluster, with the demo's config. */
export interface WeederAtWork {
  /** Resolves when it is at work. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** How many resources are in which state. */
  states(): Readonly<Record<string, number>>;
}

export function weederAtWork(options: AtWorkOptions): WeederAtWork {
  const { clock, report, onStarted } = options;
  const config = parseConfig(configText, 'demo');
  if (!config.ok) throw new Error('the config of the demo is wrong');
  const its = { ...options, config: config.value };
  let controller: Controller | undefined;
  let part: ObserverPart | undefined;
  return {
    states: () => part?.core()?.counts().resources ?? {},
    async start() {
      const started = startController({
        ...its,
        report: () => {},
        namespaces: 'all',
        concurrentDeletions: 32,
        isDryRun: false,
        others: [
          (context) => {
            part = createObserverPart({ ...context, mayUseOwnRights: false, report });
            return part;
          },
        ],
      });
      controller = started;
      onStarted(started);
      while (started.state() === 'syncing') await new Promise<void>((resolve) => void clock.setTimeout(resolve, 20));
    },
    async stop() {
      controller?.shutdown();
      await controller?.stopped;
    },
  };
}
