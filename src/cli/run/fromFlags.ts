import { randomUUID } from 'node:crypto';
import { hostname } from 'node:os';
import { failed, formatDuration, ok, type Result, systemClock } from '@weeder/kube-runtime/base';
import { areTimesInOrder, type Election, leaseName } from '@weeder/kube-runtime/lease';
import { codedError } from '../../base/errors.ts';
import type { Logger } from '../../base/log.ts';
import type { Config } from '../../config/config.ts';
import type { NamespaceSelection } from '../../controller/ownedNamespaces.ts';
import { openRecorder, type Recorder } from '../../recording/recorder.ts';
import type { RunFlags } from '../flags/runFlags.ts';

/** The pod or host as which this process acts. */
export function instanceName(): string {
  return process.env['POD_NAME'] || hostname();
}

/** The leader election from the flags; undefined: disabled. Contradictory times are a USAGE error. */
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

/** Which of the watched namespaces are selected; undefined: all. A list of their names is a USAGE error beside it. */
export function selectionOf(flags: RunFlags): Result<NamespaceSelection | undefined> {
  const { namespaces, namespaceSelector: selector, exceptNamespaces: except = [] } = flags;
  if (selector === undefined && except.length === 0) return ok(undefined);
  if (namespaces === undefined) return ok({ selector, except });
  const flag = selector === undefined ? '--except-namespaces' : '--namespace-selector';
  return failed(
    codedError('USAGE', `The flag ${flag} selects from all namespaces: leave out --namespaces, or ${flag}.`),
  );
}

function orderOf(times: Pick<Election, 'leaseDuration' | 'renewDeadline' | 'retryPeriod'>): string {
  const [lease, deadline, retry] = [times.leaseDuration, times.renewDeadline, times.retryPeriod].map(formatDuration);
  return (
    `The flag --leader-elect-lease-duration (${lease}) has to be longer than --leader-elect-renew-deadline (${deadline}), ` +
    `that longer than 1.2 times --leader-elect-retry-period (${retry}), and all between 0 and 24h.`
  );
}

type RecordingFlags = Pick<
  RunFlags,
  'record' | 'recordLimit' | 'recordFiles' | 'namespaces' | 'concurrentDeletions' | 'dryRun'
>;

/** Opens the recording for --record; undefined: there is none. If the recording fails later, `onFailure` is called. */
export async function startRecording(
  flags: RecordingFlags,
  config: Config,
  logger: Logger,
  onFailure: () => void,
): Promise<Result<Recorder | undefined>> {
  const { record: file, recordLimit: limit, recordFiles: oldFiles } = flags;
  const { namespaces = 'all', concurrentDeletions, dryRun: isDryRun } = flags;
  if (file === undefined) return ok(undefined);
  return openRecorder({
    file,
    limit,
    oldFiles,
    clock: systemClock,
    config,
    namespaces,
    concurrentDeletions,
    isDryRun,
    onFailure(cause) {
      logger.warn({ file, cause }, 'the recording has stopped; weeder continues');
      onFailure();
    },
  });
}
