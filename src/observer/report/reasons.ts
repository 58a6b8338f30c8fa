import { reasonsOn } from '../../controller/report/reasons.ts';

const { normal, warning, either } = reasonsOn('application');

/**
 * The Kubernetes Events that the observer records on an Application, by reason, as in src/weeder/report/reasons.ts.
 */
export const observerReasons = {
  Applied: either('Apply').means(
    'A spec was applied: each of its resources was tried once. The note says how many failed; a Warning if any did. Reported once for each spec, not at each start of weeder.',
  ),
  Invalid: warning('Validate').means(
    'The spec has errors. The note says which, and whether nothing is applied, or only the manifests without errors. The condition `Invalid` has all of them.',
  ),
  Paused: normal('Wait').means('Nothing is applied or corrected before the time in the note.'),
  ServiceAccountNotFound: warning('Wait').means(
    'The ServiceAccount of the application does not exist, so nothing is applied. The note says which one; the check is repeated.',
  ),
  DriftDetected: either('Notice').means(
    'Observed fields of a resource are not as they were applied. The note says which, never their values, and the field manager if it is known; a Warning if they are not corrected.',
  ),
  ResourceMissing: either('Notice').means('A resource no longer exists; a Warning if it is not recreated.'),
  DriftCorrected: normal('Apply', 'Create').means(
    'A resource is in its applied state again. The note says which fields were restored and which were removed, or that it was recreated.',
  ),
  CorrectionBackOff: warning('Wait').means(
    'Corrections of a resource are changed back repeatedly. The note says by which field manager, if it is known, and how long the next correction waits.',
  ),
  CorrectionPending: normal('Wait').means(
    'A resource has drifted or is missing, and no maintenance window is open. The note says when the next one opens; it is corrected then.',
  ),
  MutatedByAdmission: warning('Adopt').means(
    'Admission mutates observed fields each time that they are applied: its result becomes the desired state. The note says which.',
  ),
  DesiredStateChanged: normal('Adopt').means(
    'Admission or defaults of the API server have changed: the new result of the same manifest becomes the desired state. The note says which fields.',
  ),
  Refused: warning('Retry').means(
    'The API server refuses a resource: it is invalid, an immutable field would change, a quota or a policy refuses it, or a permission is missing, also the one to read it. The note says why; it is retried.',
  ),
  OwnershipConflict: warning('Skip').means(
    'A resource belongs to another application, and is not changed. The note says to which.',
  ),
  NoKindMatch: warning('Wait').means(
    'The API server does not serve the kind of a resource yet. It is applied as soon as it does.',
  ),
  Pruned: normal('Delete', 'Release').means(
    'A resource that was removed from the manifests, or whose application is deleted, was deleted, released, or handed over to another Application that lists it. The note says which.',
  ),
  DeletionSkipped: normal('Skip').means(
    'A resource was removed from the manifests, or its application is deleted, and nothing was deleted or released: no object of its name is known to be applied by the application. An object of others under that name stays as it is.',
  ),
  DeletionDelayed: warning('Wait').means(
    'A deleted resource still exists after a minute. The note names its finalizers, and the client that set them or wrote the object last.',
  ),
  DeletionBlocked: warning('Retry').means(
    'The deletion of the application is blocked, because a resource cannot be deleted. The note says why; the annotation `weeder.dev/force-finalize: "true"` forces it.',
  ),
};
