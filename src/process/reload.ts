import type { Clock, CodedError, Result } from '@weeder/kube-runtime/base';
import type { Logger } from '../base/log.ts';
import { compareConfigs } from '../config/compare.ts';
import type { Config } from '../config/config.ts';
import { logIfNeutral, logProcess, type ReportProcess } from './processLog.ts';

/** Which config is in force, and whether the newest content of its file was applied. */
export interface ConfigStatus {
  /** Counts the contents of the file that were seen, from 1, the one at start-up. */
  readonly generation: number;
  /** Since when the config has been in force; epoch milliseconds. */
  readonly appliedAt: number;
  readonly lastReload: 'applied' | 'rejected';
  /** Why the newest content was rejected; it is not in force. */
  readonly rejected?: CodedError;
}

/** Handles each new content of the config file for the life of the process, and keeps the outcome. */
export interface Reload {
  /** The newest valid config: the one in force, with which a new term of leadership begins. */
  config(): Config;
  status(): ConfigStatus;
  take(content: Result<Config>): void;
}

interface ReloadOptions {
  /** The config at start-up. */
  readonly config: Config;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Called for each content, in addition to the log. */
  readonly report?: ReportProcess;
  /** Puts a config into force in the running manager. */
  readonly apply: (config: Config) => void;
}

export function createReload({ config: first, clock, logger, report, apply }: ReloadOptions): Reload {
  const log = logProcess(logger);
  const reportChange: ReportProcess = (event) => {
    log(event);
    report?.(event);
  };
  let config = first;
  let status: ConfigStatus = { generation: 1, appliedAt: clock.now(), lastReload: 'applied' };

  function accept(next: Config, generation: number): void {
    const change = compareConfigs(config, next);
    config = next;
    apply(next);
    status = { generation, appliedAt: clock.now(), lastReload: 'applied' };
    reportChange({ type: 'config.applied', generation, ...change });
    logIfNeutral(logger, next);
  }

  function reject(problem: CodedError, generation: number): void {
    const { appliedAt } = status;
    status = { generation, appliedAt, lastReload: 'rejected', rejected: problem };
    reportChange({ type: 'config.rejected', generation, problem });
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
