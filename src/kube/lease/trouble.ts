/** What is written to: a pino logger, or anything with the same methods. */
export interface LeaseLog {
  debug(fact: object, message: string): void;
  info(fact: object, message: string): void;
  warn(fact: object, message: string): void;
}

/** Tells what goes wrong with the Lease, each cause once until it is over: it is asked for every two seconds. */
interface TroubleLog {
  failed(cause: string): void;
  unwatched(cause: string): void;
  /** A request was answered. */
  over(): void;
}

export function troubleLog(log: LeaseLog, lease: string): TroubleLog {
  let failure: string | undefined;
  let unwatched: string | undefined;
  return {
    failed(cause) {
      log[cause === failure ? 'debug' : 'warn']({ lease, cause }, 'lease unavailable, retrying');
      failure = cause;
    },
    unwatched(cause) {
      const level = cause === unwatched ? 'debug' : 'warn';
      log[level]({ lease, cause }, 'the Lease cannot be watched, reading it again and again instead');
      unwatched = cause;
    },
    over() {
      if (failure !== undefined) log.info({ lease }, 'lease available again');
      failure = undefined;
    },
  };
}
