import type { LeaseEvent } from '../../machines/lease.ts';
import type { Clock } from '../base/clock.ts';
import { objectOf } from '../base/json.ts';
import type { KubeClient } from '../client/client.ts';
import { watchOnce } from '../watch/watchOnce.ts';
import type { Election } from './election.ts';
import { type LeaseRequests, leasePath } from './leaseRequests.ts';

/** How long the server should hold the watch open, in seconds. */
const timeoutSeconds = 20;
/** A watch that ends sooner is not reopened immediately. Milliseconds. */
const settledMs = 1_000;

/**
 * Sends each change of this one Lease from `version` on to the lease machine, and finally that the watch ended. The
 * original's Role permits this: watch, by name. Returns the function that stops it, after which nothing is sent.
 */
export function watchLease(
  parts: { readonly client: KubeClient; readonly clock: Clock; readonly election: Election },
  requests: Pick<LeaseRequests, 'sighted'>,
  version: string | undefined,
  send: (event: LeaseEvent) => void,
): () => void {
  const { client, clock, election } = parts;
  const stop = new AbortController();
  const begun = clock.monotonic();
  const sendUnlessStopped = (event: LeaseEvent | undefined) => {
    if (event !== undefined && !stop.signal.aborted) send(event);
  };
  const source = {
    path: leasePath(election),
    kind: 'Lease',
    labelSelector: '',
    fieldSelector: `metadata.name=${election.name}`,
    sink: {
      begin: () => undefined,
      apply(type: string, object: unknown) {
        if (objectOf(objectOf(object)['metadata'])['name'] !== election.name) return;
        const isDeleted = type === 'DELETED';
        sendUnlessStopped(isDeleted ? { type: 'lease.missing', now: clock.monotonic() } : requests.sighted(object));
      },
      end: () => undefined,
    },
  };
  const run = { client, clock, source, start: version, timeoutSeconds, signal: stop.signal, onOpened: () => undefined };
  watchOnce(run).then(
    ({ message, reason }) => {
      const hasSettled = reason !== 'refused' && clock.monotonic() - begun >= settledMs;
      sendUnlessStopped({ type: 'watch.ended', hasSettled, message });
    },
    (error: unknown) => sendUnlessStopped({ type: 'watch.ended', message: String(error) }),
  );
  return () => stop.abort();
}
