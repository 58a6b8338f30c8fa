import { durationInSeconds, roundedDuration, timeInSeconds } from '@weeder/kube-runtime/base';
import { actorFailed, retryFields } from '../../controller/report/commonEvents.ts';
import { normal, warning, warningIf } from '../../controller/report/reasons.ts';
import { decision, logLine, onPage, report, type TableOf } from '../../controller/report/reportTable.ts';
import type { AboutResource, ObserverEvent } from '../objects/events.ts';
import { identityText } from '../objects/identity.ts';
import { shownDrifts } from '../objects/shownDrifts.ts';
import { listed } from '../objects/wording.ts';
import type { observerReasons } from './reasons.ts';
import { attemptOf, byManager, correctedNote, pathsOf, releaseDetail, releasedNote } from './wording.ts';

/** The results of an apply, in the order in which they can occur. */
export const observerOutcomes = [
  'created',
  'updated',
  'recreated',
  'corrected',
  'refused',
  'failed',
  'claimed',
] as const;
export type ObserverOutcome = (typeof observerOutcomes)[number];

const { info, warn } = logLine;

/** Failures that the owner of the application can act on. Transient ones are only logged. */
const actionable: ReadonlySet<string> = new Set(['forbidden', 'immutable', 'permanent', 'schema']);

function refused({ resource, failure, reason }: AboutResource & { readonly failure: string; readonly reason: string }) {
  return actionable.has(failure) ? warning('Refused', 'Retry', `${identityText(resource)}: ${reason}`) : undefined;
}

/**
 * What the observer reports of each type of event. Only the log has the values of drifts, and for a Secret not even the
 * log: readers of Events and recordings may not be allowed to read the objects.
 */
export const observerTable: TableOf<ObserverEvent, typeof observerReasons, ObserverOutcome> = {
  'application.applied': {
    ...decision('applied', onPage),
    log: ({ generation, resources, failed }) =>
      (failed > 0 ? warn : info)('application applied', { generation, resources, failed }),
    event: ({ generation, resources, failed }) => {
      const rest = failed > 0 ? `, ${failed} of them not applied` : '';
      return warningIf(failed > 0, 'Applied', 'Apply', `Generation ${generation}: ${resources} resources${rest}.`);
    },
    detail: ({ resources, failed }) =>
      `${resources === 1 ? '1 resource' : `${resources} resources`}${failed === 0 ? '' : `, ${failed} of them not applied`}`,
  },
  'application.invalid': {
    ...decision('invalid', onPage),
    log: ({ reason }) => warn('application invalid: none of it is applied', { reason }),
    event: ({ reason }) => warning('Invalid', 'Validate', `Nothing is applied. ${reason}`),
  },
  'application.partlyInvalid': {
    ...report('partly invalid'),
    log: ({ reason }) => warn('application partly invalid, applying the rest', { reason }),
    event: ({ reason }) => warning('Invalid', 'Validate', `Manifests without errors are applied. ${reason}`),
  },
  'application.paused': {
    ...decision('paused', onPage),
    log: ({ until }) => info('application paused', { until: new Date(until).toISOString() }),
    event: ({ until }) => normal('Paused', 'Wait', `Nothing is applied or corrected until ${timeInSeconds(until)}.`),
  },
  'application.serviceAccountNotFound': {
    ...decision('ServiceAccount not found'),
    log: ({ reason }) => warn('ServiceAccount of the application not found', { reason }),
    event: ({ reason }) => warning('ServiceAccountNotFound', 'Wait', reason),
  },
  'application.serviceAccountUnverified': {
    ...report('ServiceAccount not readable'),
    log: ({ reason }) => warn('ServiceAccount of the application cannot be read, applying anyway', { reason }),
  },
  'application.deleted': {
    ...decision('deleted', onPage),
    log: ({ policy }) => info('application deleted', { policy }),
    detail: ({ policy }) => policy,
  },
  'application.refused': {
    ...report('refused', onPage),
    log: (event) => warn('application not managed yet, retrying', retryFields(event)),
    event: ({ failure, reason }) => (failure === 'blocked' ? warning('DeletionBlocked', 'Retry', reason) : undefined),
    detail: attemptOf,
  },
  'resource.applied': {
    ...decision('applied', onPage),
    log: ({ how }) => info('resource applied', { how }),
    event: ({ how, resource }) =>
      how === 'recreated' ? normal('DriftCorrected', 'Create', `${identityText(resource)} was recreated.`) : undefined,
    outcome: ({ how }) => how,
    detail: ({ how }) => how,
  },
  'resource.drifted': {
    ...decision('drift detected', onPage),
    log: ({ resource, drifts, conflictingManager, isCorrected }) =>
      (isCorrected ? info : warn)('resource drifted', {
        fields: drifts.length,
        drifts: shownDrifts(resource, drifts),
        conflictingManager,
      }),
    event: ({ resource, drifts, conflictingManager, isCorrected }) => {
      const by = conflictingManager === undefined ? '' : `, by ${conflictingManager}`;
      const note = `${identityText(resource)} is not as it was applied: ${listed(pathsOf(drifts))}${by}.`;
      return warningIf(!isCorrected, 'DriftDetected', 'Notice', note);
    },
    detail: ({ drifts, conflictingManager, isCorrected }) =>
      `${listed(pathsOf(drifts))}${byManager(conflictingManager)}${isCorrected ? '' : ', left as it is'}`,
  },
  'resource.corrected': {
    ...decision('corrected', onPage),
    log: ({ drifts, took }) => info('resource corrected', { paths: pathsOf(drifts), took: roundedDuration(took) }),
    event: ({ resource, drifts }) =>
      normal('DriftCorrected', 'Apply', `${identityText(resource)}: ${correctedNote(drifts)}.`),
    outcome: () => 'corrected',
    detail: ({ drifts }) => listed(pathsOf(drifts)),
  },
  'resource.missing': {
    ...decision('missing', onPage),
    log: ({ isCorrected }) => (isCorrected ? info : warn)('resource missing'),
    event: ({ resource, isCorrected }) =>
      warningIf(!isCorrected, 'ResourceMissing', 'Notice', `${identityText(resource)} does not exist.`),
    detail: ({ isCorrected }) => (isCorrected ? '' : 'left as it is'),
  },
  'resource.mutatedByAdmission': {
    ...decision('mutated by admission'),
    log: ({ paths }) => warn('fields mutated by admission, result accepted', { paths }),
    event: ({ resource, paths }) => {
      const note = `${listed(paths)} of ${identityText(resource)} is mutated by admission each time; the result is accepted.`;
      return warning('MutatedByAdmission', 'Adopt', note);
    },
    detail: ({ paths }) => paths.join(', '),
  },
  'resource.desiredStateChanged': {
    ...decision('desired state changed'),
    log: ({ paths }) => info('desired state changed by admission or defaults', { paths }),
    event: ({ resource, paths }) => {
      const note = `Admission or defaults change the desired state of ${identityText(resource)}: ${listed(paths)}.`;
      return normal('DesiredStateChanged', 'Adopt', note);
    },
    detail: ({ paths }) => paths.join(', '),
  },
  'resource.correctionBackOff': {
    ...decision('correction back-off', onPage),
    log: ({ conflictingManager, wait }) =>
      warn('correction backing off: the resource is changed back repeatedly', {
        conflictingManager,
        wait: roundedDuration(wait),
      }),
    event: ({ resource, conflictingManager = 'Another client', wait }) => {
      const note = `${conflictingManager} repeatedly overwrites corrections of ${identityText(resource)}: the next one waits for ${durationInSeconds(wait)}.`;
      return warning('CorrectionBackOff', 'Wait', note);
    },
    detail: ({ conflictingManager }) => byManager(conflictingManager).trimStart(),
  },
  'resource.correctionPending': {
    ...decision('correction pending', onPage),
    log: ({ reason }) => info('correction pending', { reason }),
    event: ({ resource, reason }) =>
      normal('CorrectionPending', 'Wait', `The correction of ${identityText(resource)} waits: ${reason}.`),
    detail: ({ reason }) => reason,
  },
  'resource.terminating': {
    ...decision('is being deleted'),
    log: () => info('resource terminating, waiting for the deletion to finish'),
  },
  'resource.ownershipConflict': {
    ...decision('ownership conflict', onPage),
    log: ({ reason }) => warn('resource belongs to another application', { reason }),
    event: ({ resource, reason }) => warning('OwnershipConflict', 'Skip', `${identityText(resource)}: ${reason}`),
    outcome: () => 'claimed',
  },
  'resource.noKindMatch': {
    ...decision('kind not served'),
    log: ({ reason }) => warn('kind of the resource not served', { reason }),
    event: ({ resource, reason }) => warning('NoKindMatch', 'Wait', `${identityText(resource)}: ${reason}`),
  },
  'resource.refused': {
    ...decision('refused', onPage),
    log: (event) => warn('resource refused', retryFields(event)),
    event: refused,
    outcome: () => 'refused',
    detail: attemptOf,
  },
  'resource.failed': {
    ...report('failed', onPage),
    log: (event) => warn('resource not applied, retrying', retryFields(event)),
    event: refused,
    outcome: () => 'failed',
    detail: attemptOf,
  },
  'resource.deleted': {
    ...decision('deleted', onPage),
    log: () => info('resource deleted'),
    event: ({ resource }) => normal('Pruned', 'Delete', `${identityText(resource)} was deleted.`),
  },
  'resource.released': {
    ...decision('released'),
    log: ({ to, listedBy, keptBy }) => info('resource released', { to: to?.name, listedBy, keptBy }),
    event: (event) => normal('Pruned', 'Release', releasedNote(event)),
    detail: releaseDetail,
  },
  'resource.deletionSkipped': {
    ...decision('deletion skipped'),
    log: ({ reason }) => info('deletion skipped', { reason }),
    // The note must not reveal whether another object has this name, because the tenant who reads it may not be allowed
    // to know.
    event: ({ resource }) => {
      const note = `Nothing is deleted or released as ${identityText(resource)}: no object of this name is known to be applied by this application.`;
      return normal('DeletionSkipped', 'Skip', note);
    },
  },
  'resource.deletionDelayed': {
    ...decision('deletion delayed', onPage),
    log: ({ reason }) => warn('resource still terminating', { reason }),
    event: ({ resource, reason }) => warning('DeletionDelayed', 'Wait', `${identityText(resource)} ${reason}.`),
    detail: ({ reason }) => reason,
  },
  'actor.failed': actorFailed,
};
