import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import { parseConfig } from '../config/parse.ts';
import type { KubeClient } from '../kube/client/client.ts';
import type { ProcessControllers } from '../process/controllers.ts';
import { type Manager, type ManagerOptions, startManager } from '../process/manager.ts';
import { createWeederController } from '../weeder/controller.ts';
import type { ReportWeeder } from '../weeder/deletions/weederEvents.ts';
import { configText } from './objects.ts';

interface StartWeederOptions extends Pick<ManagerOptions, 'inspect' | 'reportProcess'> {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly namespaces: 'all' | readonly string[];
  readonly report: ReportWeeder;
}

/** Starts the real weeder with the demo's config. */
export function startWeeder({ report, ...options }: StartWeederOptions): Manager<ProcessControllers> {
  const config = parseConfig(configText, 'demo');
  if (!config.ok) throw new Error('the config of the demo is invalid');
  return startManager({
    ...options,
    create: (context) => ({ weeder: createWeederController({ ...context, concurrentDeletions: 32, report }) }),
    config: config.value,
    isDryRun: false,
  });
}
