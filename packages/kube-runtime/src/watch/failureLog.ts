/** A pino logger, or anything with the same three methods. One event per line. */
export interface ReflectorLog {
  debug(event: object, message: string): void;
  info(event: object, message: string): void;
  warn(event: object, message: string): void;
}

/** The loss of a stream. */
export interface StreamLoss {
  readonly stream: string;
  readonly cause: string;
  /** The number of this loss among consecutive ones. */
  readonly attempt: number;
  /** The delay until the next attempt. */
  readonly delayMs: number;
}

/** Logs the losses of streams without repetition: the same cause is logged again only at the 2nd, 4th, 8th … time. */
interface FailureLog {
  failed(what: string, loss: StreamLoss): void;
  opened(stream: string): void;
}

interface Repetition {
  readonly cause: string;
  readonly times: number;
  /** Whether the stream has been opened since. */
  readonly isAnswered: boolean;
}

export function failureLog(log: ReflectorLog): FailureLog {
  const repetitions = new Map<string, Repetition>();
  return {
    failed(what, loss) {
      const last = loss.attempt > 1 ? repetitions.get(loss.stream) : undefined;
      const times = last?.cause === loss.cause ? last.times + 1 : 1;
      repetitions.set(loss.stream, { cause: loss.cause, times, isAnswered: false });
      write(log, times, 'warn', { ...loss, times }, what);
    },
    opened(stream) {
      const last = repetitions.get(stream);
      if (last === undefined || last.isAnswered) return log.debug({ stream }, 'stream opened');
      repetitions.set(stream, { ...last, isAnswered: true });
      write(log, last.times, 'info', { stream, losses: last.times }, 'stream opened again');
    },
  };
}

/** Logs the first occurrence, and repetitions increasingly rarely. */
function write(log: ReflectorLog, times: number, level: 'info' | 'warn', event: object, message: string): void {
  if (isPowerOfTwo(times)) log[level](event, message);
  else log.debug(event, message);
}

function isPowerOfTwo(count: number): boolean {
  return (count & (count - 1)) === 0;
}
