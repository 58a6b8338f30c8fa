import type { ObserverEvent } from '../../observer/model/events.ts';
import { identityText } from '../../observer/model/identity.ts';
import { decision, type EventKind, report } from '../file/eventKind.ts';

/** An event of the application observer, or a write request, as recorded and as printed in a timeline. */
export interface RecordedObserverEvent {
  readonly out: ObserverEvent['type'] | 'resource.write' | 'status.write';
  /** `namespace/application`, with the resource behind it: `shop/web Deployment shop/web`. */
  readonly about: string;
  /** Only paths, names and classes: no values, and nothing that depends on timing alone. */
  readonly detail: string;
}

export const observerEventKinds: Readonly<Record<RecordedObserverEvent['out'], EventKind>> = {
  'application.applied': decision('applied'),
  'application.invalid': decision('invalid'),
  'application.partlyInvalid': report('partly invalid'),
  'application.paused': decision('paused'),
  'application.serviceAccountNotFound': decision('ServiceAccount not found'),
  'application.serviceAccountUnverified': report('ServiceAccount not readable'),
  'application.deleted': decision('deleted'),
  'application.refused': report('refused'),
  'resource.applied': decision('applied'),
  'resource.drifted': decision('drift detected'),
  'resource.corrected': decision('corrected'),
  'resource.missing': decision('missing'),
  'resource.mutatedByAdmission': decision('mutated by admission'),
  'resource.desiredStateChanged': decision('desired state changed'),
  'resource.correctionBackOff': decision('correction backs off'),
  'resource.terminating': decision('is being deleted'),
  'resource.ownershipConflict': decision('ownership conflict'),
  'resource.noKindMatch': decision('no kind match'),
  'resource.refused': decision('refused'),
  'resource.failed': report('failed'),
  'resource.deleted': decision('deleted'),
  'resource.released': decision('released'),
  'resource.deletionSkipped': decision('deletion skipped'),
  'resource.write': decision('write requested'),
  'status.write': report('status written'),
  'actor.failed': report('actor failed'),
};

export function recordedObserverEventOf(event: ObserverEvent): RecordedObserverEvent {
  return { out: event.type, about: aboutOf(event), detail: detailOf(event) };
}

/** Returns the application that an event is about; undefined if there is none. */
export function applicationOf({ about, out }: Pick<RecordedObserverEvent, 'about' | 'out'>): string | undefined {
  return out === 'actor.failed' ? undefined : about.split(' ')[0];
}

function aboutOf(event: ObserverEvent): string {
  if (event.type === 'actor.failed') return event.actor;
  const { namespace, name } = event.application;
  return 'resource' in event ? `${namespace}/${name} ${identityText(event.resource)}` : `${namespace}/${name}`;
}

function detailOf(event: ObserverEvent): string {
  switch (event.type) {
    case 'application.applied':
      return `${event.resources === 1 ? '1 resource' : `${event.resources} resources`}${event.failed === 0 ? '' : `, ${event.failed} of them not applied`}`;
    case 'application.deleted':
      return event.policy;
    case 'resource.applied':
      return event.how;
    case 'resource.drifted':
      return `${pathsOf(event.drifts)}${byManager(event.conflictingManager)}${event.isCorrected ? '' : ', left as it is'}`;
    case 'resource.corrected':
      return pathsOf(event.drifts);
    case 'resource.missing':
      return event.isCorrected ? '' : 'left as it is';
    case 'resource.mutatedByAdmission':
    case 'resource.desiredStateChanged':
      return event.paths.join(', ');
    case 'resource.correctionBackOff':
      return byManager(event.conflictingManager).trimStart();
    case 'application.refused':
    case 'resource.refused':
    case 'resource.failed':
      return `${event.failure}, attempt ${event.attempt}`;
    default:
      return '';
  }
}

function pathsOf(drifts: readonly { readonly path: string }[]): string {
  return drifts.map(({ path }) => path).join(', ');
}

function byManager(manager: string | undefined): string {
  return manager === undefined ? '' : ` (by ${manager})`;
}
