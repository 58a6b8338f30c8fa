import { parseConfig } from '../config/parse.ts';
import type { ProcessControllers } from '../controllers/controllers.ts';
import { type Manager, type ManagerOptions, startManager } from '../process/manager.ts';
import type { ReportWeeder } from '../weeder/deletions/weederEvents.ts';
import { createWeederController } from '../weeder/weederController.ts';
import { configText } from './objects.ts';

interface StartWeederOptions
  extends Pick<ManagerOptions, 'client' | 'clock' | 'logger' | 'namespaces' | 'inspect' | 'reportProcess'> {
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
