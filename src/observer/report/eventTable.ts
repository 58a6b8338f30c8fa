/**
 * Every Kubernetes Event that the observer records on an Application, by reason; like src/weeder/report/eventTable.ts.
 */
export const observerEventTable = {
  Applied: {
    about: 'application',
    types: ['Normal', 'Warning'],
    actions: ['Apply'],
    meaning:
      'A spec was applied: each of its resources was tried once. Says of how many something is in the way; a Warning where there is any. Told of a spec once, not at each start of weeder.',
  },
  Invalid: {
    about: 'application',
    types: ['Warning'],
    actions: ['Validate'],
    meaning:
      'The spec has faults. Says which, and whether nothing is applied, or only what has no faults. The condition `Invalid` has all of them.',
  },
  Paused: {
    about: 'application',
    types: ['Normal'],
    actions: ['Wait'],
    meaning: 'Nothing is applied or corrected before the time that it says.',
  },
  ServiceAccountNotFound: {
    about: 'application',
    types: ['Warning'],
    actions: ['Wait'],
    meaning:
      'The ServiceAccount is not there in whose place the application would be applied: nothing of it is. Says which; it is looked for again.',
  },
  DriftDetected: {
    about: 'application',
    types: ['Normal', 'Warning'],
    actions: ['Notice'],
    meaning:
      'Observed fields of a resource are not as they were applied. Says which, never their values, and by whom where that can be told; a Warning where they are not corrected.',
  },
  ResourceMissing: {
    about: 'application',
    types: ['Normal', 'Warning'],
    actions: ['Notice'],
    meaning: 'A resource is not there any more; a Warning where it is not recreated.',
  },
  DriftCorrected: {
    about: 'application',
    types: ['Normal'],
    actions: ['Apply', 'Create'],
    meaning:
      'A resource is again as it was applied. Says which fields were put back and which were removed, or that it was recreated.',
  },
  CorrectionBackOff: {
    about: 'application',
    types: ['Warning'],
    actions: ['Wait'],
    meaning:
      'Somebody keeps changing a resource back. Says who, where that can be told, and for how long the next correction waits.',
  },
  MutatedByAdmission: {
    about: 'application',
    types: ['Warning'],
    actions: ['Adopt'],
    meaning:
      'The API server changes observed fields each time that they are applied: as it makes them is how they are wanted from now on. Says which.',
  },
  DesiredStateChanged: {
    about: 'application',
    types: ['Normal'],
    actions: ['Adopt'],
    meaning:
      'Admission or defaults of the API server have changed: it makes something else of the same manifest, and the resource is to be like that from now on. Says which fields.',
  },
  Refused: {
    about: 'application',
    types: ['Warning'],
    actions: ['Retry'],
    meaning:
      'The API server does not take a resource: it is not valid, an immutable field is another one, a quota or a policy refuses it, or a permission is missing, also that to see it. Says why; it is tried again.',
  },
  OwnershipConflict: {
    about: 'application',
    types: ['Warning'],
    actions: ['Skip'],
    meaning: 'A resource belongs to another application, and is left alone. Says to which.',
  },
  NoKindMatch: {
    about: 'application',
    types: ['Warning'],
    actions: ['Wait'],
    meaning: 'The cluster does not know the kind of a resource, yet. It is applied as soon as it does.',
  },
  Pruned: {
    about: 'application',
    types: ['Normal'],
    actions: ['Delete', 'Release'],
    meaning: 'A resource that left the manifests, or whose application ends, was deleted or let go of.',
  },
  DeletionSkipped: {
    about: 'application',
    types: ['Normal'],
    actions: ['Skip'],
    meaning:
      'A resource left the manifests, or its application ends, and nothing was deleted or released: no object of its name is known to be applied by the application. What others have under that name stays as it is.',
  },
  DeletionBlocked: {
    about: 'application',
    types: ['Warning'],
    actions: ['Retry'],
    meaning:
      'The application cannot end, because a resource of it cannot be deleted. Says why; the annotation `weeder.dev/force-finalize: "true"` ends it all the same.',
  },
} as const satisfies Record<
  string,
  {
    readonly about: 'application';
    readonly types: readonly ('Normal' | 'Warning')[];
    readonly actions: readonly string[];
    readonly meaning: string;
  }
>;

export type ObserverEventReason = keyof typeof observerEventTable;
