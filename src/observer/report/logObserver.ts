import { formatDuration } from '../../base/duration.ts';
import { type Logger, type LogLine, logLines } from '../../base/log.ts';
import { redactedDrifts } from '../model/confidential.ts';
import type { AboutApplication, AboutResource, ObserverEvent, ReportObserver } from '../model/events.ts';
import { identityText } from '../model/identity.ts';

/**
 * Writes each event as one line with namespace, application and resource. For a Secret it writes the paths of drifts,
 * and no values.
 */
export function logObserver(logger: Logger): ReportObserver {
  return logLines(logger, lineOf);
}

function lineOf(event: ObserverEvent): LogLine {
  if ('resource' in event) return resourceLine(event);
  if (event.type === 'actor.failed') {
    const fields = { actor: event.actor, err: event.error };
    return { level: 'error', fields, message: 'internal error: actor failed, please report this' };
  }
  return applicationLine(event);
}

function applicationLine(event: Exclude<ObserverEvent, AboutResource | { readonly type: 'actor.failed' }>): LogLine {
  switch (event.type) {
    case 'application.applied': {
      const { generation, resources, failed } = event;
      const level = failed > 0 ? 'warn' : 'info';
      return of(event, level, { generation, resources, failed }, 'application applied');
    }
    case 'application.invalid':
      return of(event, 'warn', { reason: event.reason }, 'application invalid: none of it is applied');
    case 'application.partlyInvalid':
      return of(event, 'warn', { reason: event.reason }, 'application partly invalid, applying the rest');
    case 'application.paused':
      return of(event, 'info', { until: new Date(event.until).toISOString() }, 'application paused');
    case 'application.serviceAccountNotFound':
      return of(event, 'warn', { reason: event.reason }, 'ServiceAccount of the application not found');
    case 'application.serviceAccountUnverified':
      return of(
        event,
        'warn',
        { reason: event.reason },
        'ServiceAccount of the application cannot be read, applying anyway',
      );
    case 'application.deleted':
      return of(event, 'info', { policy: event.policy }, 'application deleted');
    case 'application.refused':
      return of(event, 'warn', refusal(event), 'application not managed yet, retrying');
  }
}

function resourceLine(event: Extract<ObserverEvent, AboutResource>): LogLine {
  switch (event.type) {
    case 'resource.applied':
      return about(event, 'info', { how: event.how }, 'resource applied');
    case 'resource.drifted': {
      const { conflictingManager, isCorrected } = event;
      return about(
        event,
        isCorrected ? 'info' : 'warn',
        { drifts: redacted(event), conflictingManager },
        'resource drifted',
      );
    }
    case 'resource.corrected':
      return about(event, 'info', { paths: paths(event), took: rounded(event.took) }, 'resource corrected');
    case 'resource.missing':
      return about(event, event.isCorrected ? 'info' : 'warn', {}, 'resource missing');
    case 'resource.mutatedByAdmission':
      return about(event, 'warn', { paths: event.paths }, 'fields mutated by admission, result accepted');
    case 'resource.desiredStateChanged':
      return about(event, 'info', { paths: event.paths }, 'desired state changed by admission or defaults');
    case 'resource.correctionBackOff':
      return about(
        event,
        'warn',
        { conflictingManager: event.conflictingManager, wait: rounded(event.wait) },
        'correction backing off: the resource is changed back repeatedly',
      );
    case 'resource.terminating':
      return about(event, 'info', {}, 'resource terminating, waiting for the deletion to finish');
    case 'resource.ownershipConflict':
      return about(event, 'warn', { reason: event.reason }, 'resource belongs to another application');
    case 'resource.noKindMatch':
      return about(event, 'warn', { reason: event.reason }, 'no match for the kind of the resource');
    case 'resource.refused':
      return about(event, 'warn', refusal(event), 'resource refused');
    case 'resource.failed':
      return about(event, 'warn', refusal(event), 'resource not applied, retrying');
    case 'resource.deleted':
      return about(event, 'info', {}, 'resource deleted');
    case 'resource.released':
      return about(event, 'info', {}, 'resource released');
    case 'resource.deletionSkipped':
      return about(event, 'info', { reason: event.reason }, 'deletion skipped');
  }
}

function of(
  { application: { namespace, name } }: { readonly application: AboutApplication },
  level: LogLine['level'],
  fields: object,
  message: string,
): LogLine {
  return { level, fields: { namespace, application: name, ...fields }, message };
}

function about(event: AboutResource, level: LogLine['level'], fields: object, message: string): LogLine {
  return of(event, level, { resource: identityText(event.resource), uid: event.uid, ...fields }, message);
}

function redacted({ resource, drifts }: Extract<ObserverEvent, { readonly type: 'resource.drifted' }>) {
  return redactedDrifts(resource, drifts);
}

function paths({ drifts }: Extract<ObserverEvent, { readonly type: 'resource.corrected' }>): readonly string[] {
  return drifts.map(({ path }) => path);
}

function refusal(event: {
  readonly reason: string;
  readonly failure: string;
  readonly attempt: number;
  readonly retryIn: number;
}) {
  const { reason, failure, attempt, retryIn } = event;
  return { reason, failure, attempt, retryIn: rounded(retryIn) };
}

function rounded(duration: number): string {
  return formatDuration(Math.round(duration));
}
