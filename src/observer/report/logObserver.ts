import { formatDuration } from '../../base/duration.ts';
import { type Logger, type LogLine, logLines } from '../../base/log.ts';
import { redactedDrifts } from '../model/confidential.ts';
import type { AboutApplication, AboutResource, ObserverEvent, ReportObserver } from '../model/facts.ts';
import { identityText } from '../model/identity.ts';

/** Writes each fact as one line with namespace, application and resource; nothing of a Secret but where it differs. */
export function logObserver(logger: Logger): ReportObserver {
  return logLines(logger, lineOf);
}

function lineOf(fact: ObserverEvent): LogLine {
  if ('resource' in fact) return resourceLine(fact);
  if (fact.type === 'actor.failed') {
    const fields = { actor: fact.actor, err: fact.error };
    return { level: 'error', fields, message: 'internal error: actor failed, please report this' };
  }
  return applicationLine(fact);
}

function applicationLine(fact: Exclude<ObserverEvent, AboutResource | { readonly type: 'actor.failed' }>): LogLine {
  switch (fact.type) {
    case 'application.applied': {
      const { generation, resources, failed } = fact;
      const level = failed > 0 ? 'warn' : 'info';
      return of(fact, level, { generation, resources, failed }, 'application applied');
    }
    case 'application.invalid':
      return of(fact, 'warn', { reason: fact.reason }, 'application invalid: none of it is applied');
    case 'application.partlyInvalid':
      return of(fact, 'warn', { reason: fact.reason }, 'application partly invalid, applying the rest');
    case 'application.paused':
      return of(fact, 'info', { until: new Date(fact.until).toISOString() }, 'application paused');
    case 'application.serviceAccountNotFound':
      return of(fact, 'warn', { reason: fact.reason }, 'ServiceAccount of the application not found');
    case 'application.serviceAccountUnverified':
      return of(
        fact,
        'warn',
        { reason: fact.reason },
        'ServiceAccount of the application cannot be read, applying anyway',
      );
    case 'application.deleted':
      return of(fact, 'info', { policy: fact.policy }, 'application deleted');
    case 'application.refused':
      return of(fact, 'warn', refusal(fact), 'application not managed yet, retrying');
  }
}

function resourceLine(fact: Extract<ObserverEvent, AboutResource>): LogLine {
  switch (fact.type) {
    case 'resource.applied':
      return about(fact, 'info', { how: fact.how }, 'resource applied');
    case 'resource.drifted': {
      const { conflictingManager, isCorrected } = fact;
      return about(
        fact,
        isCorrected ? 'info' : 'warn',
        { drifts: redacted(fact), conflictingManager },
        'resource drifted',
      );
    }
    case 'resource.corrected':
      return about(fact, 'info', { paths: paths(fact), took: rounded(fact.took) }, 'resource corrected');
    case 'resource.missing':
      return about(fact, fact.isCorrected ? 'info' : 'warn', {}, 'resource missing');
    case 'resource.mutatedByAdmission':
      return about(fact, 'warn', { paths: fact.paths }, 'fields mutated by admission, result accepted');
    case 'resource.desiredStateChanged':
      return about(fact, 'info', { paths: fact.paths }, 'desired state changed by admission or defaults');
    case 'resource.correctionBackOff':
      return about(
        fact,
        'warn',
        { conflictingManager: fact.conflictingManager, wait: rounded(fact.wait) },
        'correction backing off: the resource is changed back repeatedly',
      );
    case 'resource.terminating':
      return about(fact, 'info', {}, 'resource terminating, waiting for the deletion to finish');
    case 'resource.ownershipConflict':
      return about(fact, 'warn', { reason: fact.reason }, 'resource belongs to another application');
    case 'resource.noKindMatch':
      return about(fact, 'warn', { reason: fact.reason }, 'no match for the kind of the resource');
    case 'resource.refused':
      return about(fact, 'warn', refusal(fact), 'resource refused');
    case 'resource.failed':
      return about(fact, 'warn', refusal(fact), 'resource not applied, retrying');
    case 'resource.deleted':
      return about(fact, 'info', {}, 'resource deleted');
    case 'resource.released':
      return about(fact, 'info', {}, 'resource released');
    case 'resource.deletionSkipped':
      return about(fact, 'info', { reason: fact.reason }, 'deletion skipped');
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

function about(fact: AboutResource, level: LogLine['level'], fields: object, message: string): LogLine {
  return of(fact, level, { resource: identityText(fact.resource), uid: fact.uid, ...fields }, message);
}

function redacted({ resource, drifts }: Extract<ObserverEvent, { readonly type: 'resource.drifted' }>) {
  return redactedDrifts(resource, drifts);
}

function paths({ drifts }: Extract<ObserverEvent, { readonly type: 'resource.corrected' }>): readonly string[] {
  return drifts.map(({ path }) => path);
}

function refusal(fact: {
  readonly reason: string;
  readonly failure: string;
  readonly attempt: number;
  readonly retryIn: number;
}) {
  const { reason, failure, attempt, retryIn } = fact;
  return { reason, failure, attempt, retryIn: rounded(retryIn) };
}

function rounded(duration: number): string {
  return formatDuration(Math.round(duration));
}
