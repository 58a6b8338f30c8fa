import type { Clock } from '../../../src/base/clock.ts';
import type { Config } from '../../../src/config/config.ts';
import type { WeederOptions } from '../../../src/weeder/weeder.ts';

/** What a weeder is made with where nothing is refused, nobody is told, and since when a service is ready is not known. */
export function weederOptions(config: Config, clock: Clock, part: Partial<WeederOptions> = {}): WeederOptions {
  return {
    config,
    runtime: { clock },
    concurrentDeletions: 32,
    isDryRun: false,
    random: () => 0.5,
    readySince: async () => undefined,
    report: () => {},
    deletePod: async () => ({ type: 'delete.accepted' }),
    ...part,
  };
}
