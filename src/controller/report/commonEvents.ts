import { roundedDuration } from '@weeder/kube-runtime/base';
import { logLine, report } from './reportTable.ts';

/** A request that was refused, and is retried. */
export interface Retry {
  readonly reason: string;
  /** The class of the error; `other`: a bug in weeder. */
  readonly failure: string;
  /** The number of consecutive attempts, from 1. */
  readonly attempt: number;
  /** Milliseconds. */
  readonly retryIn: number;
}

export function retryFields({ reason, failure, attempt, retryIn }: Retry): object {
  return { reason, failure, attempt, retryIn: roundedDuration(retryIn) };
}

/** A bug in weeder: weeder reports it and continues. */
export interface ActorFailed {
  readonly type: 'actor.failed';
  readonly actor: string;
  readonly error: unknown;
}

export const actorFailed = {
  ...report('actor failed'),
  log: ({ actor, error }: ActorFailed) =>
    logLine.error('internal error: actor failed, please report this', { actor, err: error }),
};
