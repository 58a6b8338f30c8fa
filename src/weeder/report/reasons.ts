import { reasonsOn } from '../../controller/report/reasons.ts';

const pod = reasonsOn('Pod');
const service = reasonsOn('Service');
const workload = reasonsOn('workload');
const owner = reasonsOn('ReplicaSet, StatefulSet, DaemonSet, Job, ReplicationController');

/**
 * Every Kubernetes Event that the weeder records, by its reason. `docs/reference/events.md` is generated from this table, and a
 * test compares it with the Events that are recorded.
 */
export const weederReasons = {
  WindowOpened: service
    .normal('Watch')
    .means(
      'The service recovered, or a dependant runs again (`siblingEvidence`), and weeder deletes its crash-looping dependants from now on. The note has the duration.',
    ),
  WindowClosed: service
    .either('Stop')
    .means(
      'The window has closed; or the next one has replaced it, because the service recovered again; or weeder stops, and the next weeder continues it. The note says which, and has the numbers of deleted and skipped pods, the deletions that failed (a Warning if there are any), and the dependants that are ignored because they never started.',
    ),
  PodDeleted: pod
    .normal('Delete', 'Evict')
    .means(
      'The pod was deleted or evicted, so that its controller creates a new one. The note has the service that recovered, the container that crash-looped, its remaining back-off, and how its last run ended: times, exit code, signal, reason and the beginning of the termination message.',
    ),
  PodDeletionDryRun: pod.normal('DryRun').means('The same in a dry run (`--dry-run`): nothing was deleted.'),
  DeletionSkipped: pod
    .normal('Keep')
    .means('The pod crash-loops and is selected, but weeder never deletes such a pod. The note has the reason.'),
  DeletionPending: pod
    .normal('Wait')
    .means(
      'A deletion would come too soon: the pod replaces one that was deleted recently, the kubelet restarts the container sooner than a replacement could run, or another service on which the pod depends is down. The note has the reason, and the time of the next check.',
    ),
  DeletionFailed: pod
    .warning('GiveUp')
    .means(
      'The deletion failed: it did not succeed before the window closed, or was refused permanently. The note has the reason.',
    ),
  PodCreationRetried: owner
    .normal('Retry')
    .means(
      'A webhook that had refused its pods can be called again. weeder changed the annotation `weeder.dev/retried-at`, so that the controller creates the missing pods at once.',
    ),
  PodCreationDryRun: owner.normal('DryRun').means('The same in a dry run (`--dry-run`): nothing was changed.'),
  PodCreationNotRetried: owner
    .warning('GiveUp')
    .means(
      'The annotation could not be changed before the window closed, or was refused permanently. The note has the reason.',
    ),
  DeclarationProblem: workload
    .warning('Check')
    .means(
      'The label `weeder.dev/depends-on` or the annotation `weeder.dev/depends-on-services` of its pods has an error, or names a service that does not exist. The note has the text and what to write. `kubectl describe` shows it on a Deployment or CronJob if weeder may read ReplicaSets and Jobs.',
    ),
};
