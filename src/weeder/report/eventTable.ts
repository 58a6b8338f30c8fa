/**
 * Every Kubernetes Event that the weeder records, by its reason. `docs/events.md` is generated from this table, and a
 * test compares it with the Events that are recorded.
 */
export const eventTable = {
  WindowOpened: {
    about: 'Service',
    types: ['Normal'],
    actions: ['Watch'],
    meaning:
      'The service recovered, and weeder deletes its crash-looping dependants from now on. The note has the duration.',
  },
  WindowClosed: {
    about: 'Service',
    types: ['Normal', 'Warning'],
    actions: ['Stop'],
    meaning:
      'The window has closed. The note has the numbers of deleted and skipped pods, the deletions that failed (a Warning if there are any), and the dependants that are ignored because they never started.',
  },
  PodDeleted: {
    about: 'Pod',
    types: ['Normal'],
    actions: ['Delete', 'Evict'],
    meaning:
      'The pod was deleted or evicted, so that its controller creates a new one. The note has the service that recovered, the container that crash-looped, and its remaining back-off.',
  },
  PodDeletionDryRun: {
    about: 'Pod',
    types: ['Normal'],
    actions: ['DryRun'],
    meaning: 'The same in a dry run (`--dry-run`): nothing was deleted.',
  },
  DeletionSkipped: {
    about: 'Pod',
    types: ['Normal'],
    actions: ['Keep'],
    meaning: 'The pod crash-loops and is selected, but weeder never deletes such a pod. The note has the reason.',
  },
  DeletionPending: {
    about: 'Pod',
    types: ['Normal'],
    actions: ['Wait'],
    meaning:
      'A deletion would come too soon: the pod replaces one that was deleted in the same window, or the kubelet restarts the container sooner than a replacement could run. The note has the reason, and the time of the next check.',
  },
  DeletionFailed: {
    about: 'Pod',
    types: ['Warning'],
    actions: ['GiveUp'],
    meaning:
      'The deletion failed: it did not succeed before the window closed, or was refused permanently. The note has the reason.',
  },
} as const satisfies Record<
  string,
  {
    readonly about: 'Pod' | 'Service';
    readonly types: readonly ('Normal' | 'Warning')[];
    readonly actions: readonly string[];
    readonly meaning: string;
  }
>;

export type EventReason = keyof typeof eventTable;
