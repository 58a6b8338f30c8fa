import type { Clock } from '../base/clock.ts';
import type { CodedError, Result } from '../base/errors.ts';
import type { Logger } from '../base/log.ts';
import { compareConfigs } from '../config/compare.ts';
import type { Config } from '../config/config.ts';
import { logProcess, type ReportProcess } from './processLog.ts';

/** Which config is in force, and what became of the newest content of its file. */
export interface ConfigStatus {
  /** Counts the contents of the file that were seen, from 1: the one that weeder started with. */
  readonly generation: number;
  /** Epoch milliseconds: since when the config is in force. */
  readonly appliedAt: number;
  readonly lastReload: 'applied' | 'rejected';
  /** What is wrong with the newest content; it is not in force. */
  readonly rejected?: CodedError;
}

/** Takes each new content of the config file, for as long as the process lives, and remembers what became of it. */
export interface Reload {
  /** The newest config that could be used: the one in force, and the one that a new term of leadership begins with. */
  config(): Config;
  status(): ConfigStatus;
  take(content: Result<Config>): void;
}

interface ReloadOptions {
  /** The one that the process started with. */
  readonly config: Config;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told of each content, beside the log. */
  readonly report?: ReportProcess;
  /** Puts a config in force for whoever is at work now. */
  readonly apply: (config: Config) => void;
}

export function createReload({ config: first, clock, logger, report, apply }: ReloadOptions): Reload {
  const log = logProcess(logger);
  const tell: ReportProcess = (fact) => {
    log(fact);
    report?.(fact);
  };
  let config = first;
  let status: ConfigStatus = { generation: 1, appliedAt: clock.now(), lastReload: 'applied' };

  function accept(next: Config, generation: number): void {
    const change = compareConfigs(config, next);
    config = next;
    apply(next);
    status = { generation, appliedAt: clock.now(), lastReload: 'applied' };
    tell({ type: 'config.applied', generation, ...change });
  }

  function reject(problem: CodedError, generation: number): void {
    const { appliedAt } = status;
    status = { generation, appliedAt, lastReload: 'rejected', rejected: problem };
    tell({ type: 'config.rejected', generation, problem });
  }

  return {
    config: () => config,
    status: () => status,
    take(content) {
      const generation = status.generation + 1;
      if (content.ok) accept(content.value, generation);
      else reject(content.error, generation);
    },
  };
}
