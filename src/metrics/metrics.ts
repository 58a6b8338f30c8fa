import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import packageJson from '../../package.json' with { type: 'json' };

export type Metrics = ReturnType<typeof createMetrics>;

/** From a recovery within milliseconds to the end of a default window. Seconds. */
const recoveryBuckets = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300];
/** From a single pod to a rollout that takes its whole deadline. Seconds. */
const rolloutBuckets = [1, 2.5, 5, 10, 20, 30, 60, 120, 300, 600, 1200, 3600];
/** From an idle API server to the client's own deadline. Seconds. */
const requestBuckets = [0.002, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * Every metric of weeder, in its own registry, with those of the process and its event loop. docs/reference/metrics.md is
 * generated from these definitions. No label ever contains the name of a pod or a namespace.
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
      '1 with --dry-run: nothing in the cluster is changed, and deletions and restarts are counted as dry_run; otherwise 0.',
    ),
    ready: gauge('ready', '1 when /readyz succeeds, which it also does on a standby replica; otherwise 0.'),
    configGeneration: gauge(
      'config_generation',
      'Number of versions of the config file observed since the start, including the first and rejected ones.',
    ),
    configLastReloadSuccessful: gauge(
      'config_last_reload_successful',
      '1 when the newest version of the config file is in effect; 0 when it was rejected and an older one is.',
    ),
    configLastReloadTimestamp: gauge(
      'config_last_reload_timestamp_seconds',
      'Unix time at which the config in effect was applied.',
    ),
    leader: gauge(
      'leader',
      '1 when this replica is the leader, by the name of the Lease; the label is empty without leader election.',
      ['lease'],
    ),
    leadershipChanges: counter(
      'leadership_changes_total',
      'Leadership changes of this replica: acquired, released (at shutdown), lost (not renewed in time, or taken by another replica).',
      ['change'],
    ),
    windowsOpen: gauge('windows_open', 'Open windows, by the service that recovered.', ['service']),
    windowsOpened: counter('windows_opened_total', 'Windows opened, by the service that recovered.', ['service']),
    deletions: counter(
      'pod_deletions_total',
      'Crash-looping pods that a window requested to delete, by result: deleted, evicted, dry_run (only with --dry-run), recovered (the kubelet restarted the container), not_found (another client deleted the pod, or it is no longer selected), blocked (the service became unready again), expired (the window closed before the deletion was due), failed.',
      ['service', 'result'],
    ),
    creationRetries: counter(
      'pod_creation_retries_total',
      'Objects whose pods a webhook had refused, by result: retried, dry_run (only with --dry-run), unneeded (it had its pods), failed.',
      ['result'],
    ),
    podsSkipped: counter(
      'pods_skipped_total',
      'Crash-looping pods that are never deleted, counted once in each window, by reason: bare_pod, mirror_pod, ignored (the annotation).',
      ['reason'],
    ),
    recoveryToDeletion: histogram(
      'recovery_to_deletion_seconds',
      'Seconds from the opening of a window to the accepted deletion of a pod; a pod that crash-loops late in its window counts as late.',
      recoveryBuckets,
    ),
    backOffSaved: counter(
      'backoff_saved_seconds_total',
      'Back-off that the deleted pods had left, as reported by the kubelet or by its known schedule.',
    ),
    retries: counter(
      'deletion_retries_total',
      'Deletions, and retries of objects without pods, that were refused and are repeated, by the class of the error: network, timeout, throttled (429), unavailable (5xx), forbidden (403), unauthorized (401), invalid (422), and others.',
      ['error'],
    ),
    queueLength: gauge('deletion_queue_length', 'Deletions in the queue.'),
    inFlight: gauge('deletions_in_flight', 'DELETE and eviction requests in flight.'),
    crashLoopingPods: gauge(
      'crash_looping_pods',
      'Pods in crash-loop back-off that a podSelector selects; a pod that two of them select counts twice.',
    ),
    services: gauge(
      'services',
      'Watched services of each namespace, by state: ready, not_ready, absent (no EndpointSlice: it lost the last one within a day, or pods declare it, or the config names it and no watched namespace has it).',
      ['state'],
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
    waitingPodsEvicted: counter(
      'waiting_pods_evicted_total',
      'Pods that had never started and were evicted when the ConfigMaps and Secrets that their volumes waited for existed (lateSources), by result: evicted, dry_run (only with --dry-run).',
      ['result'],
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
      'Seconds from the first observed change to the end of its rollout.',
      rolloutBuckets,
    ),
    applications: gauge(
      'applications',
      'Managed Applications, by state: observing, paused, invalid, backing_off (a request failed and is retried), deleting, passing (any other).',
      ['state'],
    ),
    applicationResources: gauge(
      'application_resources',
      'Resources of these Applications, by state: in_sync, drifted, missing, terminating (waiting for the deletion to finish), claimed (owned by another Application), type_missing (the API server does not serve their kind), refused, backing_off, unverified (their ServiceAccount may not read them), passing (any other).',
      ['state'],
    ),
    resourceDrifts: counter('resource_drifts_total', 'Detected drifts, by the kind of the resource.', ['kind']),
    resourceApplies: counter(
      'resource_applies_total',
      'Applies of resources, by result: created, updated, recreated (another client had deleted it), corrected, refused (permanently), failed (retried), claimed (owned by another Application).',
      ['result'],
    ),
    correctionBackoffs: counter(
      'correction_backoffs_total',
      'Corrections that were delayed because the previous one was overwritten.',
    ),
    observerRetries: counter(
      'observer_retries_total',
      'Requests of the application observer that were refused and are retried, by class: forbidden, permanent (invalid), immutable, conflict, transient and so on.',
      ['error'],
    ),
    driftToCorrection: histogram(
      'drift_to_correction_seconds',
      'Seconds from the detection of a drift to the response to its correction.',
      requestBuckets,
    ),
    hashReads: counter(
      'hash_reads_total',
      'ConfigMaps and Secrets that were read to be hashed, by kind and result: ok, not_found, refused.',
      ['kind', 'result'],
    ),
    streams: gauge('streams', 'List+watch streams, by resource and state: listing, watching, backing_off.', [
      'resource',
      'state',
    ]),
    streamsRefused: gauge(
      'streams_refused',
      'List+watch streams that the API server refuses (403 or 404), by resource; objects that depend on them are not managed.',
      ['resource'],
    ),
    streamDown: gauge(
      'stream_down_seconds',
      'Seconds for which the stream that has been down longest is down; 0 when all are up.',
      ['resource'],
    ),
    streamLag: gauge(
      'stream_lag_seconds',
      'Seconds since the last sign of life on the quietest stream: an event, a bookmark, or the headers of a new watch, one of which arrives at least every 75 s.',
      ['resource'],
    ),
    streamRestarts: counter(
      'stream_restarts_total',
      'Streams that failed and were restarted, by reason: lost, silent (half-open connection), expired (410), rewound (etcd was restored from a backup).',
      ['resource', 'reason'],
    ),
    streamBytes: counter('stream_received_bytes_total', 'Bytes of lists and watches received.', ['resource']),
    streamObjects: gauge('stream_objects', 'Objects in the last complete list.', ['resource']),
    requests: counter(
      'api_requests_total',
      'Requests to the API server, by the HTTP status of the response, or the reason why there was none.',
      ['verb', 'resource', 'code'],
    ),
    requestDuration: histogram(
      'api_request_duration_seconds',
      'Seconds until the response was complete (for a watch: until it began), including time in the queue of --kube-api-qps.',
      requestBuckets,
      ['verb', 'resource'],
    ),
    eventsWaiting: gauge('events_waiting', 'Kubernetes Events in the queue.'),
    eventsLost: counter(
      'events_lost_total',
      'Kubernetes Events that were not written, by cause: queue_full, object_limit and namespace_limit (too many about one object, or in one namespace), impossible_object (none can have its name), forbidden (a permission is missing), refused, stopped (weeder stopped first).',
      ['cause'],
    ),
    notificationsSent: counter('notifications_sent_total', 'Notifications that a receiver accepted.', ['receiver']),
    notificationsLost: counter(
      'notifications_lost_total',
      'Notifications that were not sent, by cause: queue_full, rejected (by the receiver, with a 4xx), stopped (weeder stopped first).',
      ['receiver', 'cause'],
    ),
    notificationsWaiting: gauge('notifications_waiting', 'Notifications in the queue of a receiver.', ['receiver']),
    recordingFailures: counter('recording_failures_total', 'Recordings (--record) that stopped because of an error.'),
    actors: gauge('actors', 'Running actors, by machine.', ['machine']),
    actorFailures: counter('actor_failures_total', 'Actors that failed because of a bug in weeder.'),
  };
  // Every 100 ms: ten times as often would account for most of weeder's CPU time when idle.
  collectDefaultMetrics({ register: registry, eventLoopMonitoringPrecision: 100 });
  return metrics;
}
