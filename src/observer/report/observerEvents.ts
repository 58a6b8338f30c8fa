import { formatDuration } from '../../base/duration.ts';
import type { EventDraft } from '../../kube/events/event.ts';
import type { AboutApplication, AboutResource, ObserverEvent, ReportObserver } from '../model/events.ts';
import { identityText } from '../model/identity.ts';
import type { Drift } from '../model/projection.ts';
import { listed } from '../model/wording.ts';
import { applicationsGroup, applicationsVersion } from '../status/applicationApi.ts';
import type { ObserverEventReason, observerEventTable } from './eventTable.ts';

type ReportedEvent<R extends ObserverEventReason = ObserverEventReason> = {
  readonly [Reason in R]: {
    readonly reason: Reason;
    readonly type: (typeof observerEventTable)[Reason]['types'][number];
    readonly action: (typeof observerEventTable)[Reason]['actions'][number];
    readonly note: string;
  };
}[R];

/** Failures that the owner of the application can act on. Transient ones are only logged. */
const actionable: ReadonlySet<string> = new Set(['forbidden', 'immutable', 'permanent', 'schema']);

/** Records Kubernetes Events for the events that matter to the owner of the application. */
export function reportObserverEvents(record: (occurrence: EventDraft) => void): ReportObserver {
  return (event) => {
    if (event.type === 'actor.failed') return;
    const reported = 'resource' in event ? ofResource(event) : ofApplication(event);
    if (reported !== undefined) record({ regarding: applicationRef(event.application), ...reported });
  };
}

function applicationRef({ namespace, name, uid }: AboutApplication) {
  return { apiVersion: `${applicationsGroup}/${applicationsVersion}`, kind: 'Application', namespace, name, uid };
}

type ApplicationEvent = Exclude<ObserverEvent, AboutResource | { readonly type: 'actor.failed' }>;

function ofApplication(event: ApplicationEvent): ReportedEvent | undefined {
  switch (event.type) {
    case 'application.applied': {
      const { generation, resources, failed } = event;
      const type = failed > 0 ? 'Warning' : 'Normal';
      const rest = failed > 0 ? `; something is in the way of ${failed}` : '';
      return {
        reason: 'Applied',
        type,
        action: 'Apply',
        note: `Generation ${generation}: ${resources} resources${rest}.`,
      };
    }
    case 'application.invalid': {
      const note = `Nothing is applied. ${event.reason}`;
      return { reason: 'Invalid', type: 'Warning', action: 'Validate', note };
    }
    case 'application.partlyInvalid': {
      const note = `Manifests without errors are applied. ${event.reason}`;
      return { reason: 'Invalid', type: 'Warning', action: 'Validate', note };
    }
    case 'application.paused': {
      const until = new Date(event.until).toISOString().replace(/\.\d+Z$/, 'Z');
      return {
        reason: 'Paused',
        type: 'Normal',
        action: 'Wait',
        note: `Nothing is applied or corrected until ${until}.`,
      };
    }
    case 'application.serviceAccountNotFound':
      return { reason: 'ServiceAccountNotFound', type: 'Warning', action: 'Wait', note: event.reason };
    case 'application.refused':
      if (event.failure !== 'blocked') return undefined;
      return { reason: 'DeletionBlocked', type: 'Warning', action: 'Retry', note: event.reason };
    case 'application.serviceAccountUnverified':
    case 'application.deleted':
      return undefined;
  }
}

function ofResource(event: Extract<ObserverEvent, AboutResource>): ReportedEvent | undefined {
  const name = identityText(event.resource);
  switch (event.type) {
    case 'resource.drifted': {
      const type = event.isCorrected ? 'Normal' : 'Warning';
      const by = event.conflictingManager === undefined ? '' : `, by ${event.conflictingManager}`;
      return {
        reason: 'DriftDetected',
        type,
        action: 'Notice',
        note: `${name} is not as it was applied: ${paths(event.drifts)}${by}.`,
      };
    }
    case 'resource.missing': {
      const type = event.isCorrected ? 'Normal' : 'Warning';
      return { reason: 'ResourceMissing', type, action: 'Notice', note: `${name} is not there.` };
    }
    case 'resource.corrected':
      return {
        reason: 'DriftCorrected',
        type: 'Normal',
        action: 'Apply',
        note: `${name}: ${correctedNote(event.drifts)}.`,
      };
    case 'resource.applied':
      if (event.how !== 'recreated') return undefined;
      return { reason: 'DriftCorrected', type: 'Normal', action: 'Create', note: `${name} was recreated.` };
    case 'resource.correctionBackOff': {
      const who = event.conflictingManager ?? 'Another client';
      const wait = formatDuration(Math.round(event.wait / 1_000) * 1_000);
      const note = `${who} repeatedly overwrites corrections of ${name}: the next one waits for ${wait}.`;
      return { reason: 'CorrectionBackOff', type: 'Warning', action: 'Wait', note };
    }
    case 'resource.mutatedByAdmission': {
      const note = `${listed(event.paths)} of ${name} is mutated by admission each time; the result is accepted.`;
      return { reason: 'MutatedByAdmission', type: 'Warning', action: 'Adopt', note };
    }
    case 'resource.desiredStateChanged': {
      const note = `Admission or defaults change the desired state of ${name}: ${listed(event.paths)}.`;
      return { reason: 'DesiredStateChanged', type: 'Normal', action: 'Adopt', note };
    }
    default:
      return problemEvent(event, name);
  }
}

/** Excess and duplicate elements were removed; all other drifts were restored. */
function correctedNote(drifts: readonly Drift[]): string {
  const removed = drifts.filter(({ is }) => is === 'excess' || is === 'duplicate');
  const restored = drifts.filter((each) => !removed.includes(each));
  return [
    ...(restored.length === 0 ? [] : [`${paths(restored)} restored`]),
    ...(removed.length === 0 ? [] : [`${paths(removed)} removed`]),
  ].join('; ');
}

function problemEvent(event: Extract<ObserverEvent, AboutResource>, name: string): ReportedEvent | undefined {
  switch (event.type) {
    case 'resource.refused':
    case 'resource.failed':
      if (!actionable.has(event.failure)) return undefined;
      return { reason: 'Refused', type: 'Warning', action: 'Retry', note: `${name}: ${event.reason}` };
    case 'resource.ownershipConflict':
      return { reason: 'OwnershipConflict', type: 'Warning', action: 'Skip', note: `${name}: ${event.reason}` };
    case 'resource.noKindMatch':
      return { reason: 'NoKindMatch', type: 'Warning', action: 'Wait', note: `${name}: ${event.reason}` };
    case 'resource.deleted':
      return { reason: 'Pruned', type: 'Normal', action: 'Delete', note: `${name} was deleted.` };
    case 'resource.released':
      return { reason: 'Pruned', type: 'Normal', action: 'Release', note: `${name} was released.` };
    case 'resource.deletionSkipped':
      return { reason: 'DeletionSkipped', type: 'Normal', action: 'Skip', note: skippedNote(name) };
    default:
      return undefined;
  }
}

/**
 * The note must not reveal whether another object has this name, because the tenant who reads it may not be allowed to
 * know.
 */
function skippedNote(name: string): string {
  return `Nothing is deleted or released as ${name}: no object of this name is known to be applied by this application.`;
}

function paths(drifts: readonly Drift[]): string {
  return listed(drifts.map(({ path }) => path));
}
