import { reasonsOn } from '../../controller/report/reasons.ts';

const { normal, warning } = reasonsOn('workload');

/** All Kubernetes Events that restart control records on workloads, by reason; like src/weeder/report/reasons.ts. */
export const restartReasons = {
  DependencyChanged: normal('Notice').means(
    'A ConfigMap or Secret that the pods use has changed since they started. The note names it, its changed keys if they are known, and the time.',
  ),
  RestartPending: normal('Wait').means(
    'The restart is due, and waits for something that may take long: a maintenance window, the end of a pause, or of a rollout that another client has started. The note names it.',
  ),
  RestartBlocked: warning('Hold').means(
    'The restart is blocked: a source is missing, an immutable one was recreated, it restarted too often, or an annotation cannot be read. The note has the reason.',
  ),
  Restarted: normal('Rollout', 'Evict', 'Recreate', 'Replace').means(
    'Its pods are replaced, because what they use has changed: by a new template, by evictions, as a new Job, or all at once. The note names the sources and keys.',
  ),
  RestartDryRun: normal('DryRun').means('The same in a dry run (`--dry-run`): nothing was written.'),
  RolledOut: normal('Finish').means('All pods run with the new content. The note has the time since the change.'),
  RestartSkipped: normal('Skip').means(
    'All pods were created after the change, by a release or otherwise: they have the new content.',
  ),
  WaitingPodEvicted: normal('Evict', 'DryRun').means(
    'A pod that has never started was evicted (`lateSources: evict`), or would be in a dry run: the ConfigMaps and Secrets that its volumes waited for exist now. The note names them.',
  ),
  RolloutStalled: warning('Watch').means(
    'The rollout of a restart has stalled. The note has the reason; a newer change does not wait for it.',
  ),
  RestartReverted: warning('Watch', 'Evict').means(
    'Another client, perhaps an operator, restored the pod template, so that the old pods remained. The second time, weeder evicts the pods instead of changing the template.',
  ),
  RestartRefused: warning('Retry').means(
    'The API server refuses the restart: a permission is missing, admission rejects it, or a PodDisruptionBudget forbids it. The note has the reason; weeder retries.',
  ),
  AnnotationUnreadable: warning('Read').means(
    'An annotation of the workload, or of a source that it uses, cannot be read, or was written by another client in weeder’s name. The note names it and has the reason.',
  ),
  DependencyNotAllowed: warning('Skip').means(
    'The workload depends on a source of another namespace that does not allow this (`weeder.dev/allow-references-from`): it is not read, and its changes restart nothing.',
  ),
  DependencyNotFollowed: warning('Skip').means(
    'The workload uses a source of a kind that `sourceKinds` excludes: weeder does not watch it, and its changes restart nothing.',
  ),
  StateContested: warning('BackOff').means(
    'Another client, such as an operator that overwrites its whole object, removes the annotation `weeder.dev/dependencies` repeatedly. Weeder keeps the state in memory and writes it after growing pauses. Reported once.',
  ),
  RevisionHistoryFilled: warning('Watch').means(
    'All revisions in the history are restarts by weeder: `kubectl rollout undo` cannot return to another template.',
  ),
};
