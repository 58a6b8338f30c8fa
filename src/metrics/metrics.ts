import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import packageJson from '../../package.json' with { type: 'json' };

export type Metrics = ReturnType<typeof createMetrics>;

/** From the first millisecond of a recovery to the end of a default window. Seconds. */
const recoveryBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
/** From a lone pod to a rollout that takes all of its deadline. Seconds. */
const rolloutBuckets = [1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 3600];
/** From an API server at rest to the client's own deadline. Seconds. */
const requestBuckets = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * Every metric of weeder, in a registry of its own, with those of the process and its event loop. docs/metrics.md is
 * generated from these definitions. No label ever carries the name of a pod or a namespace.
 */
export function createMetrics() {
  const registry = new Registry();
  const registers = [registry];
  const gauge = <T extends string = never>(name: string, help: string, labelNames: readonly T[] = []) =>
    new Gauge<T>({ name: `weeder_${name}`, help, labelNames: [...labelNames], registers });
  const counter = <T extends string = never>(name: string, help: string, labelNames: readonly T[] = []) =>
    new Counter<T>({ name: `weeder_${name}`, help, labelNames: [...labelNames], registers });
  const histogram = <T extends string = never>(
    name: string,
    help: string,
    buckets: readonly number[],
    labelNames: readonly T[] = [],
  ) =>
    new Histogram<T>({ name: `weeder_${name}`, help, buckets: [...buckets], labelNames: [...labelNames], registers });

  const buildInfo = gauge('build_info', 'Always 1; which weeder this is.', ['version']);
  buildInfo.set({ version: packageJson.version }, 1);
  const metrics = {
    registry,
    dryRun: gauge(
      'dry_run',
      '1 with --dry-run: nothing is changed, and deletions and restarts are counted as dryRun; else 0.',
    ),
    ready: gauge('ready', '1 when /readyz says ok, which a replica that stands by does too; else 0.'),
    configGeneration: gauge(
      'config_generation',
      'Contents of the config file that were seen since the start, the first and those that were rejected included.',
    ),
    configLastReloadSuccessful: gauge(
      'config_last_reload_successful',
      '1 when the newest content of the config file is in force; 0 when it was rejected and an older one is.',
    ),
    configLastReloadTimestamp: gauge(
      'config_last_reload_timestamp_seconds',
      'Unix time since which the config that is in force is.',
    ),
    leader: gauge(
      'leader',
      '1 when this replica is the one that acts, by the name of the Lease that says so; the label is empty without leader election.',
      ['lease'],
    ),
    leadershipChanges: counter(
      'leadership_changes_total',
      'Changes of leadership that this replica took part in: acquired, released (in good order), lost (not renewed in time, or taken).',
      ['change'],
    ),
    windowsOpen: gauge('windows_open', 'Windows that are open, by the service that recovered.', ['service']),
    windowsOpened: counter('windows_opened_total', 'Windows opened, by the service that recovered.', ['service']),
    deletions: counter(
      'pod_deletions_total',
      'Crash-looping pods that a window wanted deleted, by what became of them: deleted, evicted, dryRun (only with --dry-run), recovered (the kubelet restarted it), gone (another client deleted it, or it is no longer selected), held (the service went down again), skipped (the window closed before a deletion was due), givenUp.',
      ['service', 'result'],
    ),
    kept: counter('pods_kept_total', 'Crash-looping pods that are never deleted, once in each window, by reason.', [
      'reason',
    ]),
    recoveryToDeletion: histogram(
      'recovery_to_deletion_seconds',
      'Seconds from the opening of a window to the accepted deletion of a pod; a pod that crash-loops late in its window counts as late.',
      recoveryBuckets,
    ),
    backOffSaved: counter(
      'backoff_saved_seconds_total',
      'Back-off that the deleted pods had still before them: the kubelet’s own figure, or its known schedule.',
    ),
    retries: counter(
      'deletion_retries_total',
      'Deletions refused and to be tried again, by the class of the error: network, timeout, throttled (429), unavailable (5xx), forbidden (403), unauthorized (401), invalid (422), and others.',
      ['error'],
    ),
    queueLength: gauge('deletion_queue_length', 'Deletions that wait for their turn.'),
    inFlight: gauge('deletions_in_flight', 'Deletions on their way to the API server.'),
    crashLoopingPods: gauge(
      'crash_looping_pods',
      'Pods in crash-loop back-off that a podSelector selects; one that two select counts twice.',
    ),
    unseenServices: gauge(
      'unseen_services',
      'Services of the config that never opened a window: absent (no watched namespace has an EndpointSlice of it), neverReady (none was ready since weeder started).',
      ['reason'],
    ),
    managedWorkloads: gauge(
      'managed_workloads',
      'Workloads that restart control manages, by state: current, stale (a source has changed, and the quiet period is not over), waiting (for a slot), rolling, stalled, suspended (its rollout waits for people), blocked, backing_off, passing (any other).',
      ['state'],
    ),
    restartSources: gauge('restart_sources', 'ConfigMaps and Secrets that these workloads use.'),
    workloadsAdopted: counter(
      'workloads_adopted_total',
      'Workloads whose sources were recorded without a restart, by kind: new ones, and those that use other sources than before.',
      ['kind'],
    ),
    workloadRestarts: counter(
      'workload_restarts_total',
      'Restarts by kind and by what happened: restarted (the API server accepted it), dry_run (only with --dry-run), skipped (all pods were created after the change), rolled_out (the pods have the new content), stalled, reverted (another client restored the template).',
      ['kind', 'result'],
    ),
    restartsPending: gauge(
      'restarts_pending',
      'Workloads whose restart is pending, by reason: interval (minInterval), window (of maintenance), paused_until (the annotation), paused (the Deployment), rollout (of another client), pace (maxRestartsPerMinute, maxConcurrentRollouts), other.',
      ['reason'],
    ),
    restartsBlocked: gauge(
      'restarts_blocked',
      'Workloads whose restart is blocked, by reason: source_missing, immutable (recreated), breaker (too many restarts), annotation (unreadable), hash_key, job, other.',
      ['reason'],
    ),
    restartRetries: counter(
      'restart_retries_total',
      'Refused requests that restart control retries, by the class of the error: as weeder_deletion_retries_total, and budget (a PodDisruptionBudget), other_uid, immutable.',
      ['error'],
    ),
    changeToRollout: histogram(
      'change_to_rollout_seconds',
      'Seconds from the first change that was heard of to the end of the rollout for it.',
      rolloutBuckets,
    ),
    applications: gauge(
      'applications',
      'Applications that are managed, by state: observing, paused, invalid, backingOff (something failed that may pass), deleting, passing (any other).',
      ['state'],
    ),
    applicationResources: gauge(
      'application_resources',
      'Resources of these applications, by state: inSync, drifted, missing, terminating (their end is waited for), claimed (by another application), typeMissing (the cluster does not know their kind), refused, backingOff, unverified (their account may not see them), passing (any other).',
      ['state'],
    ),
    resourceDrifts: counter('resource_drifts_total', 'Drifts that were found, by the kind of the resource.', ['kind']),
    resourceApplies: counter(
      'resource_applies_total',
      'Applies of resources, by what came of them: created, updated, recreated (somebody had deleted it), corrected, refused (for good, as it is), failed (tried again), claimed (it is another application’s).',
      ['result'],
    ),
    resourceContests: counter(
      'resource_contests_total',
      'Corrections that waited because the one before them did not last.',
    ),
    observerRetries: counter(
      'observer_retries_total',
      'Refusals that the application observer met and tries again after, by their class: forbidden, permanent (not valid), immutable, conflict, transient and so on.',
      ['error'],
    ),
    driftToCorrection: histogram(
      'drift_to_correction_seconds',
      'Seconds from the moment in which a drift was heard of to the answer to its correction.',
      requestBuckets,
    ),
    hashReads: counter(
      'hash_reads_total',
      'ConfigMaps and Secrets that were read to be hashed, by kind and result: ok, not_found, refused.',
      ['kind', 'result'],
    ),
    streams: gauge('streams', 'List+watch streams by resource and state: listing, watching, backingOff.', [
      'resource',
      'state',
    ]),
    streamsRefused: gauge(
      'streams_refused',
      'List+watch streams that the API server refuses (403 or 404), by resource: what depends on them is not managed.',
      ['resource'],
    ),
    streamDown: gauge('stream_down_seconds', 'For how long the stream that is down longest is; 0 when all are up.', [
      'resource',
    ]),
    streamLag: gauge(
      'stream_lag_seconds',
      'Seconds since the API server last said anything on the quietest stream: an event, a bookmark, or the headers of a new watch, one of which comes every 75 s at the latest.',
      ['resource'],
    ),
    streamRestarts: counter(
      'stream_restarts_total',
      'Streams that broke and were begun again, by reason: lost, silent (half-open connection), expired (410).',
      ['resource', 'reason'],
    ),
    streamBytes: counter('stream_received_bytes_total', 'Bytes of lists and watches received.', ['resource']),
    streamObjects: gauge('stream_objects', 'Objects in the last complete state that was read.', ['resource']),
    requests: counter(
      'api_requests_total',
      'Requests to the API server, by the HTTP status of the answer, or why there was none.',
      ['verb', 'resource', 'code'],
    ),
    requestDuration: histogram(
      'api_request_duration_seconds',
      'Seconds until the answer was complete, of a watch until it began; time in the queue of --kube-api-qps included.',
      requestBuckets,
      ['verb', 'resource'],
    ),
    eventsWaiting: gauge('events_waiting', 'Kubernetes Events that wait to be written.'),
    eventsLost: counter(
      'events_lost_total',
      'Kubernetes Events that were not written, by cause: queueFull, objectLimit (too many about one object), forbidden (a permission is missing), refused, stopped (weeder stopped first).',
      ['cause'],
    ),
    recordingFailures: counter('recording_failures_total', 'Recordings (--record) that had to stop.'),
    actors: gauge('actors', 'Actors at work, by machine.', ['machine']),
    actorFailures: counter('actor_failures_total', 'Parts of weeder that broke by a mistake of weeder itself.'),
  };
  // Every 100 ms: ten times as often would be most of what weeder does at rest.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
  return metrics;
}
