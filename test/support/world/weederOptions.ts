import type { Clock } from '@weeder/kube-runtime/base';
import type { Config } from '../../../src/config/config.ts';
import { readNoLog } from '../../../src/weeder/deletions/readLog.ts';
import type { WeederOptions } from '../../../src/weeder/weeder.ts';

/**
 * Options for a weeder where no request is refused, nothing is reported, and it is unknown since when a service is
 * ready.
 */
export function weederOptions(config: Config, clock: Clock, part: Partial<WeederOptions> = {}): WeederOptions {
  return {
    config,
    runtime: { clock },
    concurrentDeletions: 32,
    isDryRun: false,
    random: () => 0.5,
    readySince: async () => undefined,
    readLog: readNoLog,
    report: () => {},
    deletePod: async () => ({ type: 'delete.accepted' }),
    ...part,
  };
}
