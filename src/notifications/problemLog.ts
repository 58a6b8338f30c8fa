import type { Logger } from '../base/log.ts';

/** Logs each kind of problem of a receiver once, until it has accepted notifications. */
export function createProblemLog(receiver: string, log: Logger) {
  let known = '';
  let isFull = false;
  return {
    /** Since the receiver last accepted notifications. */
    lost: 0,
    occurred(message: string, cause: string, more: object = {}): void {
      const isKnown = known === message + cause;
      known = message + cause;
      log[isKnown ? 'debug' : 'warn']({ receiver, cause, ...more }, message);
    },
    queueIsFull(): void {
      if (!isFull) log.warn({ receiver }, 'notifications are lost: too many wait');
      isFull = true;
    },
    over(): void {
      if (known !== '' || isFull) log.info({ receiver, lost: this.lost }, 'notifications are sent again');
      known = '';
      isFull = false;
      this.lost = 0;
    },
  };
}
