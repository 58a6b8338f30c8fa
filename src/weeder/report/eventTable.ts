/**
 * Every Kubernetes Event that the weeder records, by its reason. `docs/events.md` is generated from this table, and a
 * test compares it with the Events that are recorded.
 */
export const eventTable = {
  WindowOpened: {
    about: 'Service',
    types: ['Normal'],
    actions: ['Watch'],
    meaning: 'The service recovered: from now on its crash-looping dependants are deleted. Says for how long.',
  },
  WindowClosed: {
    about: 'Service',
    types: ['Normal', 'Warning'],
    actions: ['Stop'],
    meaning:
      'The window is over. Says how many pods were deleted, how many kept, which deletions did not succeed in time (a Warning when there are any), and which dependants are left alone because they never started.',
  },
  PodDeleted: {
    about: 'Pod',
    types: ['Normal'],
    actions: ['Delete', 'Evict'],
    meaning:
      'Deleted or evicted, so that its controller starts a fresh one. Says after which service’s recovery, which container crash-looped, and how much of its back-off was left.',
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
    meaning: 'It crash-loops and is selected, and weeder never deletes such a pod. Says why.',
  },
  DeletionPending: {
    about: 'Pod',
    types: ['Normal'],
    actions: ['Wait'],
    meaning:
      'A deletion would come too soon: the pod replaces one that was deleted in the same window, or the kubelet restarts the container sooner than a replacement could run. Says which, and when it is considered again.',
  },
  DeletionFailed: {
    about: 'Pod',
    types: ['Warning'],
    actions: ['GiveUp'],
    meaning: 'Its deletion did not succeed before the window closed, or was refused for good. Says why.',
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
