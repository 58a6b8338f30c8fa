/** The communication from one part of the process to another: descriptions, and the names of events. */
interface ActorLink {
  readonly from: string;
  readonly to: string;
  /** Of a parent to its child they begin with `invokes` or `spawns`. */
  readonly words: readonly string[];
  readonly events: readonly string[];
}

/** A part of the system that has a picture of its own. */
interface Part {
  readonly name: string;
  readonly description: string;
  /** The actors, caches and queues in it, with their descriptions. */
  readonly members: Readonly<Record<string, string>>;
}

/** The communication between the actors of the running process. The names are those of the machines. */
export const links: readonly ActorLink[] = [
  link('apiServer', 'reflector', ['list and watch']),
  link('manager', 'lease', ['invokes'], ['release.requested']),
  link('lease', 'manager', [], ['leadership.acquired', 'leadership.lost', 'leadership.released']),
  link('lease', 'apiServer', ['reads and writes the Lease']),
  link('manager', 'reflector', ['spawns one for each stream']),
  link('reflector', 'manager', [], ['reflector.synced']),
  link('manager', 'receiver', [], ['notification.queued', 'receiver.changed', 'receiver.closed']),
  link('reflector', 'readiness', ['EndpointSlices']),
  link('reflector', 'podIndex', ['pods']),
  link('readiness', 'endpoint', [], ['endpoint.ready', 'endpoint.notReady', 'endpoint.foundReady']),
  link(
    'endpoint',
    'dependants',
    ['spawns one for each podSelector'],
    ['window.hold', 'window.close', 'config.changed'],
  ),
  link('dependants', 'endpoint', [], ['window.expired', 'pod.skipped']),
  link('dependants', 'podWatch', ['invokes']),
  link('podIndex', 'podWatch', ['crash-looping pods']),
  link('podWatch', 'podDeletion', [], ['pod.crashLooping', 'pod.recovered', 'deletion.withdrawn']),
  link('podDeletion', 'dependants', [], ['pod.deleted', 'deletion.failed']),
  link('reflector', 'ownerIndex', ['failed creations']),
  link('ownerIndex', 'podWatch', ['objects without pods']),
  link('podWatch', 'podCreation', [], ['retry.withdrawn']),
  link('podCreation', 'dependants', [], ['creation.retried']),
  link('podCreation', 'queue', ['enters']),
  link('podCreation', 'apiServer', ['PATCH of an annotation']),
  link('podDeletion', 'queue', ['enters']),
  link('queue', 'podDeletion', [], ['slot.granted']),
  link('podDeletion', 'apiServer', ['DELETE, with uid and', 'resourceVersion']),
  link('reflector', 'workloadSummary', ['workloads, and metadata', 'of their sources']),
  link('workloadSummary', 'workload', [], ['workload.changed', 'workload.deleted']),
  link('workload', 'rollout', ['invokes for each restart'], ['workload.changed', 'config.changed']),
  link('rollout', 'pace', ['enters']),
  link('pace', 'rollout', [], ['slot.granted', 'slot.pending', 'slot.blocked']),
  link('workload', 'apiServer', ['GET of changed sources,', 'PATCH of the state']),
  link('rollout', 'apiServer', ['PATCH of the template,', 'with resourceVersion']),
  link('workloadSummary', 'recreation', [], ['job.changed']),
  link('recreation', 'apiServer', ['POST of the deleted Job']),
  link('workloadSummary', 'latePods', [], ['source.appeared']),
  link('latePods', 'pace', ['enters']),
  link('pace', 'latePods', [], ['slot.granted']),
  link('latePods', 'apiServer', ['evicts pods that', 'never started']),
  link('reflector', 'applications', ['applications, and objects', 'with their label']),
  link('applications', 'application', [], ['application.changed', 'application.deleted']),
  link('applications', 'resource', [], ['object.changed']),
  link('application', 'resource', ['starts a root for each'], ['observation.started', 'resync.due']),
  link('application', 'apiServer', ['applies and deletes,', 'as a ServiceAccount']),
  link('resource', 'apiServer', ['applies observed fields']),
];

/** The parts of the process. The Kubernetes API is in none of them. */
export const parts: readonly Part[] = [
  {
    name: 'process',
    description:
      'The actors of the process itself. It has no local state: after a restart it rebuilds everything from the cluster.',
    members: {
      manager: 'Acquires leadership, syncs the caches, runs the controllers, and shuts down.',
      lease: 'Leader election between several replicas.',
      reflector: 'One list and watch stream.',
      receiver: 'One receiver of notifications, which are Events sent elsewhere.',
    },
  },
  {
    name: 'weeder',
    description:
      'A root for each service that was ready at least once, for each crash-looping pod that is due for deletion, and for each object whose pods a webhook refused.',
    members: {
      readiness: 'A cache: whether each service is ready, over all its EndpointSlices.',
      podIndex: 'A cache: the pods that crash-loop now, for each distinct podSelector.',
      ownerIndex: 'A cache: the objects whose pods a webhook refused.',
      endpoint: 'One service in one namespace.',
      dependants: 'The dependants of one podSelector, in the window after a recovery.',
      podWatch: 'Has the dependants deleted that crash-loop, or objects without pods retried.',
      podDeletion: 'One pod, from its detection to the outcome.',
      podCreation: 'One object that lacks pods, until its controller tries again.',
      queue: 'A queue in order of arrival, with a limit of requests in flight.',
    },
  },
  {
    name: 'restart control',
    description: 'A root for each workload whose ConfigMaps and Secrets are watched.',
    members: {
      workloadSummary: 'A cache: the ConfigMaps and Secrets that each workload uses, without their content.',
      workload: 'One workload, from a changed source to the end of its rollout.',
      rollout: 'One restart, from the wait for a slot to the end of the rollout.',
      recreation: 'One Job that is deleted, and recreated from its copy.',
      latePods: 'The pods of one workload that wait for a source that has appeared.',
      pace: 'Limits of restarts per minute and of concurrent rollouts, fair between namespaces.',
    },
  },
  {
    name: 'application observer',
    description: 'A root for each application, and for each of its resources.',
    members: {
      applications: 'A cache: the spec of each application, and the observed fields of its resources.',
      application: 'One application: applied, then observed, then applied again.',
      resource: 'One resource: compared with what was applied, and corrected, while it is observed.',
    },
  },
];

function link(from: string, to: string, words: readonly string[], events: readonly string[] = []): ActorLink {
  return { from, to, words, events };
}
