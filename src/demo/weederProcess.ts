import type { Config } from '../config/config.ts';
import { parseConfig } from '../config/parse.ts';
import type { ControllerContext } from '../controller/controller.ts';
import type { ProcessControllers } from '../controllers/controllers.ts';
import { type Manager, type ManagerOptions, startManager } from '../process/manager.ts';

export interface WeederProcessOptions
  extends Pick<ManagerOptions, 'client' | 'clock' | 'logger' | 'inspect' | 'reportProcess'> {
  /** The text of its config file. */
  readonly config: string;
  /** Creates the controllers that the demo shows. */
  readonly create: (context: ControllerContext) => ProcessControllers;
  readonly onStarted: (manager: Manager<ProcessControllers>) => void;
}

/** The real weeder, with the config of a demo. Each start stands for a new process. */
interface WeederProcess {
  /** Resolves when its caches are synced. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Empty while it is stopped. */
  controllers(): Partial<ProcessControllers>;
}

export function createWeederProcess({ create, onStarted, ...options }: WeederProcessOptions): WeederProcess {
  const { clock } = options;
  const config = demoConfig(options.config);
  let manager: Manager<ProcessControllers> | undefined;
  return {
    controllers: () => manager?.controllers ?? {},
    async start() {
      const started = startManager({
        ...options,
        create,
        config,
        namespaces: 'all',
        isDryRun: false,
      });
      manager = started;
      onStarted(started);
      while (started.state() === 'syncing') await new Promise<void>((resolve) => void clock.setTimeout(resolve, 20));
    },
    async stop() {
      manager?.shutdown();
      await manager?.stopped;
      manager = undefined;
    },
  };
}

export function demoConfig(text: string): Config {
  const config = parseConfig(text, 'demo');
  if (!config.ok) throw new Error('the config of the demo is invalid');
  return config.value;
}
