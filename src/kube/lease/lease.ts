import { fromCallback } from 'xstate';
import { type LeaseEvent, type LeaseWatchInput, type LeaseWriteInput, lease } from '../../../machines/process/lease.ts';
import type { Clock } from '../../base/clock.ts';
import { messageOf } from '../../base/errors.ts';
import type { KubeClient } from '../client/client.ts';
import type { Election } from './election.ts';
import type { ReportLeadership } from './leadershipFact.ts';
import { leaseRequests } from './requests.ts';
import type { Tenure } from './tenure.ts';
import { type LeaseLog, troubleLog } from './trouble.ts';
import { watchLease } from './watch.ts';

/** What the lease machine works with. */
interface LeaseParts {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly log: LeaseLog;
  readonly election: Election;
  /** Extended with each renewal; whoever acts asks it. */
  readonly tenure: Tenure;
  readonly report: ReportLeadership;
}

/** The lease machine with its implementation: start it with the election as its input. */
export function provideLease(parts: LeaseParts): typeof lease {
  const { client, clock, election, tenure, report } = parts;
  const name = `${election.namespace}/${election.name}`;
  const requests = leaseRequests(client, clock, election, tenure);
  const trouble = troubleLog(parts.log, name);
  let holder: string | undefined;

  /** Makes one request and tells the machine of its answer. Returns what ends it. */
  function ask(send: (signal: AbortSignal) => Promise<LeaseEvent>, tell: (event: LeaseEvent) => void): () => void {
    const stop = new AbortController();
    const answer = (event: LeaseEvent) => {
      if (stop.signal.aborted) return;
      if (event.type !== 'lease.failed') trouble.over();
      tell(event);
    };
    send(stop.signal).then(answer, (error: unknown) => answer({ type: 'lease.failed', message: messageOf(error) }));
    return () => stop.abort();
  }

  return lease.provide({
    actors: {
      leaseRead: fromCallback<LeaseEvent>(({ sendBack }) => ask(requests.read, sendBack)),
      leaseWrite: fromCallback<LeaseEvent, LeaseWriteInput>(({ input, sendBack }) =>
        ask((signal) => requests.write(input, signal), sendBack),
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
      reportFailed: ({ event }) => trouble.failed(causeOf(event)),
      reportUnwatched: ({ event }) => trouble.unwatched(causeOf(event)),
      dropTenure: () => tenure.drop(),
    },
  });
}

/** Why: in the words of a refusal, or of an actor that broke. */
function causeOf(event: { readonly type: string; readonly message?: string; readonly error?: unknown }): string {
  return event.message ?? messageOf(event.error);
}
