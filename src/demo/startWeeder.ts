import type { Clock } from '../base/clock.ts';
import type { Logger } from '../base/log.ts';
import { parseConfig } from '../config/parse.ts';
import type { KubeClient } from '../kube/client/client.ts';
import { type Controller, type ControllerOptions, startController } from '../process/main.ts';
import type { Report } from '../weeder/deletions/facts.ts';
import { configText } from './objects.ts';

interface StartWeederOptions extends Pick<ControllerOptions, 'inspect' | 'reportProcess'> {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly namespaces: 'all' | readonly string[];
  readonly report: Report;
}

/** Starts the real weeder with the demo's config. */
export function startWeeder(options: StartWeederOptions): Controller {
  const config = parseConfig(configText, 'demo');
  if (!config.ok) throw new Error('the config of the demo is wrong');
  return startController({ ...options, config: config.value, concurrentDeletions: 32, isDryRun: false });
}
