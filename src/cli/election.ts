import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { formatDuration } from '../base/duration.ts';
import { codedError, failed, ok, type Result } from '../base/errors.ts';
import { areTimesInOrder, type Election, leaseName } from '../kube/lease/election.ts';
import type { RunFlags } from './runFlags.ts';

/** The election that the flags ask for; undefined: none. Times that do not go together are a USAGE problem. */
export function electionOf(flags: RunFlags): Result<Election | undefined> {
  if (!flags.enableLeaderElection) return ok(undefined);
  const times = {
    leaseDuration: flags.leaderElectLeaseDuration,
    renewDeadline: flags.leaderElectRenewDeadline,
    retryPeriod: flags.leaderElectRetryPeriod,
  };
  if (!areTimesInOrder(times)) return failed(codedError('USAGE', orderOf(times)));
  const { shard } = flags;
  return ok({
    namespace: flags.leaderElectionNamespace,
    // Replicas of one shard share a Lease; shards do not.
    name: leaseName(shard && `${shard.index}-of-${shard.count}`),
    identity: `${hostname()}_${randomUUID()}`,
    ...times,
  });
}

function orderOf(times: Pick<Election, 'leaseDuration' | 'renewDeadline' | 'retryPeriod'>): string {
  const [lease, deadline, retry] = [times.leaseDuration, times.renewDeadline, times.retryPeriod].map(formatDuration);
  return (
    `The flag --leader-elect-lease-duration (${lease}) has to be longer than --leader-elect-renew-deadline (${deadline}), ` +
    `that longer than 1.2 times --leader-elect-retry-period (${retry}), and all between 0 and 24h.`
  );
}
