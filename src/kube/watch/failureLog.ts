/** What a reflector writes to: a pino logger, or anything with the same three methods. One fact a line. */
export interface ReflectorLog {
  debug(fact: object, message: string): void;
  info(fact: object, message: string): void;
  warn(fact: object, message: string): void;
}

/** A stream that was lost. */
export interface LossFact {
  readonly stream: string;
  readonly cause: string;
  /** Which loss in a row. */
  readonly attempt: number;
  /** How long until the next try. */
  readonly delayMs: number;
}

/** Writes the losses of streams without repeating itself: the same cause again at the 2nd, 4th, 8th … time only. */
interface FailureLog {
  failed(what: string, loss: LossFact): void;
  opened(stream: string): void;
}

interface Repetition {
  readonly cause: string;
  readonly times: number;
  /** Has the stream been opened since? */
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

/** Loud the first time, and then ever more rarely. */
function write(log: ReflectorLog, times: number, level: 'info' | 'warn', fact: object, message: string): void {
  if (isPowerOfTwo(times)) log[level](fact, message);
  else log.debug(fact, message);
}

function isPowerOfTwo(count: number): boolean {
  return (count & (count - 1)) === 0;
}
