import type { Clock } from './clock.ts';
import type { ConfigChange } from './config/compare.ts';
import type { Config } from './config/config.ts';
import type { Problem, Result } from './errors.ts';
import type { ReportProcess } from './facts.ts';
import type { Logger } from './log.ts';

/** Which config is in force, and what became of the newest content of its file. */
export interface ConfigStatus {
  /** Counts the contents of the file that were seen, from 1: the one that weeder started with. */
  readonly generation: number;
  /** Epoch milliseconds: since when the config is in force. */
  readonly appliedAt: number;
  readonly lastReload: 'applied' | 'rejected';
  /** What is wrong with the newest content; it is not in force. */
  readonly rejected?: Problem;
}

/** Takes each new content of the config file, and remembers what became of it. */
export interface Reload {
  status(): ConfigStatus;
  take(content: Result<Config>): void;
}

export interface ReloadOptions {
  readonly clock: Clock;
  readonly logger: Logger;
  readonly report: ReportProcess;
  /** Puts a config in force. */
  readonly apply: (config: Config) => ConfigChange;
}

export function createReload({ clock, logger, report, apply }: ReloadOptions): Reload {
  let status: ConfigStatus = { generation: 1, appliedAt: clock.now(), lastReload: 'applied' };

  function accept(config: Config, generation: number): void {
    const change = apply(config);
    status = { generation, appliedAt: clock.now(), lastReload: 'applied' };
    const isNews = Object.values(change).some((names) => names.length > 0);
    if (isNews) logger.info({ generation, ...change }, 'config applied');
    else logger.info({ generation }, 'config applied: it says the same as before');
    report({ type: 'config.applied', generation, ...change });
  }

  function reject(problem: Problem, generation: number): void {
    const { appliedAt } = status;
    status = { generation, appliedAt, lastReload: 'rejected', rejected: problem };
    const faults = problem.sentence.split('\n');
    logger.error({ generation, faults, advice: problem.advice }, 'config rejected, the one before stays in force');
    report({ type: 'config.rejected', generation, problem });
  }

  return {
    status: () => status,
    take(content) {
      const generation = status.generation + 1;
      if (content.ok) accept(content.value, generation);
      else reject(content.problem, generation);
    },
  };
}
