import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import { parseConfig } from '../config/parse.ts';
import type { ControllerPart, PartContext } from '../controller/controllerPart.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { type Controller, type ControllerOptions, startController } from '../process/main.ts';

export interface WeederProcessOptions<Part extends ControllerPart>
  extends Pick<ControllerOptions, 'inspect' | 'reportProcess'> {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The text of its config file. */
  readonly config: string;
  /** What stands beside the weeding, which such a config leaves out. */
  readonly createPart: (context: PartContext) => Part;
  readonly onStarted: (controller: Controller) => void;
}

/** The real weeder as it runs in a cluster, with the config of a demo; each start is another process to it. */
interface WeederProcess<Part extends ControllerPart> {
  /** Resolves when it is at work. */
  start(): Promise<void>;
  stop(): Promise<void>;
  /** Undefined: it is away. */
  part(): Part | undefined;
}

export function createWeederProcess<Part extends ControllerPart>(
  options: WeederProcessOptions<Part>,
): WeederProcess<Part> {
  const { clock, createPart, onStarted } = options;
  const config = parseConfig(options.config, 'demo');
  if (!config.ok) throw new Error('the config of the demo is wrong');
  const its = { ...options, config: config.value };
  let controller: Controller | undefined;
  let part: Part | undefined;
  return {
    part: () => part,
    async start() {
      const started = startController({
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
