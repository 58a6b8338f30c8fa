import { fromCallback } from 'xstate';
import { type LeaseEvent, type LeaseWatchInput, type LeaseWriteInput, lease } from '../../machines/lease.ts';
import type { Clock } from '../base/clock.ts';
import { formatDuration } from '../base/duration.ts';
import { messageOf } from '../base/result.ts';
import type { KubeClient } from '../client/client.ts';
import type { Election } from './election.ts';
import type { ReportLeadership } from './leadershipChange.ts';
import type { LeadershipTerm } from './leadershipTerm.ts';
import { leaseRequests } from './leaseRequests.ts';
import { watchLease } from './leaseWatch.ts';

interface LeaseOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: LeaseLog;
  readonly election: Election;
  /** Extended by each renewal; every write checks it. */
  readonly term: LeadershipTerm;
  readonly report: ReportLeadership;
}

/** The lease machine with its implementation. Its input is the election. */
export function provideLease(parts: LeaseOptions): typeof lease {
  const { client, clock, election, term, report } = parts;
  const name = `${election.namespace}/${election.name}`;
  const requests = leaseRequests(client, clock, election, term);
  const failures = failureLog(parts.log, name);
  let holder: string | undefined;

  /** Sends one request and forwards the response to the machine. Returns the function that cancels it. */
  function request(
    send: (signal: AbortSignal) => Promise<LeaseEvent>,
    report: (event: LeaseEvent) => void,
  ): () => void {
    const stop = new AbortController();
    const answer = (event: LeaseEvent) => {
      if (stop.signal.aborted) return;
      if (event.type !== 'lease.failed') failures.over();
      report(event);
    };
    send(stop.signal).then(answer, (error: unknown) => answer({ type: 'lease.failed', message: messageOf(error) }));
    return () => stop.abort();
  }

  return lease.provide({
    actors: {
      leaseRead: fromCallback<LeaseEvent>(({ sendBack }) => request(requests.read, sendBack)),
      leaseWrite: fromCallback<LeaseEvent, LeaseWriteInput>(({ input, sendBack }) =>
        request((signal) => requests.write(input, signal), sendBack),
      ),
      leaseWatch: fromCallback<LeaseEvent, LeaseWatchInput>(({ input, sendBack }) =>
        watchLease({ client, clock, election }, requests, input.version, sendBack),
      ),
    },
    actions: {
      reportAcquired: () => report({ type: 'leadership.acquired', lease: name, identity: election.identity }),
      reportLost: ({ context }) => report({ type: 'leadership.lost', lease: name, reason: context.reason }),
      reportReleased: () => report({ type: 'leadership.released', lease: name }),
      reportHolder: ({ context }) => {
        if (context.holder === undefined || context.holder === holder) return;
        holder = context.holder;
        report({ type: 'leadership.standsBy', lease: name, holder });
      },
      reportFailed: ({ event }) => failures.failed(causeOf(event)),
      reportReleaseFailed: ({ event }) => logReleaseFailed(parts.log, election, causeOf(event)),
      reportUnwatched: ({ event }) => failures.unwatched(causeOf(event)),
      endTerm: () => term.drop(),
    },
  });
}

/** The message of a refusal. */
function causeOf({ message = '' }: { readonly type: string; readonly message?: string }): string {
  return message;
}

/** Logs that this replica could not release the Lease, and why. */
export function logReleaseFailed(log: Pick<LeaseLog, 'warn'>, election: Election, cause: string): void {
  const { namespace, name, leaseDuration } = election;
  log.warn(
    { lease: `${namespace}/${name}`, cause, leaseDuration: formatDuration(leaseDuration) },
    'lease not released: another replica takes over only after the lease duration',
  );
}

/** A pino logger, or anything with the same methods. */
interface LeaseLog {
  debug(event: object, message: string): void;
  info(event: object, message: string): void;
  warn(event: object, message: string): void;
}

/** Logs each cause of a failure once until requests succeed again, because a request is sent every two seconds. */
interface FailureLog {
  failed(cause: string): void;
  unwatched(cause: string): void;
  /** The API server answered a request. */
  over(): void;
}

function failureLog(log: LeaseLog, lease: string): FailureLog {
  let failure: string | undefined;
  let unwatched: string | undefined;
  return {
    failed(cause) {
      log[cause === failure ? 'debug' : 'warn']({ lease, cause }, 'lease unavailable, retrying');
      failure = cause;
    },
    unwatched(cause) {
      const level = cause === unwatched ? 'debug' : 'warn';
      log[level]({ lease, cause }, 'the Lease cannot be watched, polling it instead');
      unwatched = cause;
    },
    over() {
      if (failure !== undefined) log.info({ lease }, 'lease available again');
      failure = undefined;
    },
  };
}
