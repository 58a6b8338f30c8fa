import type { LeaseEvent, LeaseWriteInput } from '../../machines/lease.ts';
import type { Clock } from '../base/clock.ts';
import type { ApiResult, KubeClient } from '../client/client.ts';
import { describeFailure } from '../client/describeFailure.ts';
import type { ApiFailure } from '../client/failure.ts';
import type { ApiRequest } from '../client/request.ts';
import { apiPath } from '../objects/apiPath.ts';
import type { Election } from './election.ts';
import { elapsedSince, type LeadershipTerm, momentOf } from './leadershipTerm.ts';
import { acquired, type LeaseRecord, readLease, released } from './record.ts';

/** The requests of an election, whose responses are events of the lease machine. The promises never reject. */
export interface LeaseRequests {
  read(signal: AbortSignal): Promise<LeaseEvent>;
  /** Succeeds only if the Lease has not been written since it was last read. A success extends the term. */
  write(input: LeaseWriteInput, signal: AbortSignal): Promise<LeaseEvent>;
  /** Processes a Lease from a watch; undefined: the object is not a Lease. */
  sighted(object: unknown): LeaseEvent | undefined;
}

/** The path of the Leases of the namespace, or of the one with this name. */
export function leasePath({ namespace }: Election, name?: string): string {
  return apiPath('coordination.k8s.io/v1', 'leases', { namespace, name });
}

export function leaseRequests(
  client: KubeClient,
  clock: Clock,
  election: Election,
  term: LeadershipTerm,
): LeaseRequests {
  const collection = leasePath(election);
  const path = leasePath(election, election.name);
  // As in controller-runtime, two attempts fit into the deadline.
  const timeoutMs = Math.max(1, Math.floor(election.renewDeadline / 2));
  let last: LeaseRecord | undefined;

  function call(request: ApiRequest): Promise<ApiResult> {
    return client.call({ ...request, timeoutMs, rank: 'urgent' });
  }

  function take(object: unknown): LeaseRecord | undefined {
    const lease = readLease(object, election);
    if (lease !== undefined) last = lease;
    return lease;
  }

  function sighted(object: unknown): LeaseEvent | undefined {
    const lease = take(object);
    if (lease === undefined) return undefined;
    const { holder, acquiredAt, version, record, heldFor } = lease;
    return { type: 'lease.found', holder, acquiredAt, version, record, heldFor, now: clock.monotonic() };
  }

  function refusal(failure: ApiFailure): LeaseEvent {
    const hint = failure.type === 'notFound' ? ' Name another namespace with --leader-election-namespace.' : '';
    return { type: 'lease.failed', message: `${describeFailure(failure, client.server)}${hint}` };
  }

  const notALease: LeaseEvent = {
    type: 'lease.failed',
    message: `${client.server} returned something other than the Lease ${election.namespace}/${election.name}`,
  };

  async function read(signal: AbortSignal): Promise<LeaseEvent> {
    const result = await call({ method: 'GET', path, signal });
    if (result.ok) return sighted(result.body) ?? notALease;
    if (result.failure.type !== 'notFound') return refusal(result.failure);
    last = undefined;
    return { type: 'lease.missing', now: clock.monotonic() };
  }

  function requestFor({
    operation,
    version,
  }: LeaseWriteInput): Pick<ApiRequest, 'method' | 'path' | 'body'> | undefined {
    if (version !== last?.version) return undefined;
    if (operation === 'release') {
      return last === undefined ? undefined : { method: 'PUT', path, body: released(election, last, clock.now()) };
    }
    const body = acquired(election, last, clock.now());
    return last === undefined ? { method: 'POST', path: collection, body } : { method: 'PUT', path, body };
  }

  async function write(input: LeaseWriteInput, signal: AbortSignal): Promise<LeaseEvent> {
    const request = requestFor(input);
    if (request === undefined) return { type: 'lease.conflicted' };
    const requestedAt = momentOf(clock);
    const result = await call({ ...request, signal });
    if (!result.ok)
      return isConflict(result.failure, request.method) ? { type: 'lease.conflicted' } : refusal(result.failure);
    const lease = take(result.body);
    if (lease === undefined) return notALease;
    if (input.operation !== 'release' && !signal.aborted) term.extend(requestedAt);
    return { type: 'lease.written', version: lease.version, tookMs: elapsedSince(requestedAt, clock) };
  }

  return { read, write, sighted };
}

/** The Lease was changed, created or deleted since it was last read. */
function isConflict({ type }: ApiFailure, method: ApiRequest['method']): boolean {
  return type === 'conflict' || (type === 'notFound' && method === 'PUT');
}
