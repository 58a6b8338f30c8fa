import type { Logger, LogLevel } from './log.ts';

/** One line of the log, before it is written. */
export interface LogLine {
  readonly level: LogLevel;
  readonly fields: object;
  readonly message: string;
}

/** Writes each fact as the line that it comes to. */
export function logLines<T>(logger: Logger, lineOf: (fact: T) => LogLine): (fact: T) => void {
  return (fact) => {
    const { level, fields, message } = lineOf(fact);
    logger[level](fields, message);
  };
}
