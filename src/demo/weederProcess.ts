import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import { parseConfig } from '../config/parse.ts';
import type { Controller, ControllerContext } from '../controller/controller.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { type Manager, type ManagerOptions, startManager } from '../process/manager.ts';

export interface WeederProcessOptions<Part extends Controller>
  extends Pick<ManagerOptions, 'inspect' | 'reportProcess'> {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The text of its config file. */
  readonly config: string;
  /** Creates the controller that the demo shows. */
  readonly createPart: (context: ControllerContext) => Part;
  readonly onStarted: (controller: Manager) => void;
}

/** The real weeder, with the config of a demo. Each start stands for a new process. */
interface WeederProcess<Part extends Controller> {
  /** Resolves when its caches are synced. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Undefined while it is stopped. */
  part(): Part | undefined;
}

export function createWeederProcess<Part extends Controller>(options: WeederProcessOptions<Part>): WeederProcess<Part> {
  const { clock, createPart, onStarted } = options;
  const config = parseConfig(options.config, 'demo');
  if (!config.ok) throw new Error('the config of the demo is invalid');
  const its = { ...options, config: config.value };
  let controller: Manager | undefined;
  let part: Part | undefined;
  return {
    part: () => part,
    async start() {
      const started = startManager({
        ...its,
        report: () => {},
        namespaces: 'all',
        concurrentDeletions: 32,
        isDryRun: false,
        others: [
          (context) => {
            part = createPart(context);
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
      part = undefined;
    },
  };
}
