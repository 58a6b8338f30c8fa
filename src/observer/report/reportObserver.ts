import type { EventDraft, ObjectRef } from '@weeder/kube-runtime/events';
import type { Logger } from '../../base/log.ts';
import { logByTable, recordByTable } from '../../controller/report/readers.ts';
import type { ObserverEvent, ReportObserver } from '../objects/events.ts';
import { identityText } from '../objects/identity.ts';
import { applicationsGroup, applicationsVersion } from '../status/applicationApi.ts';
import { observerTable } from './observerTable.ts';

/** Writes each event as one line with namespace, application and resource. */
export function logObserver(logger: Logger): ReportObserver {
  return logByTable(observerTable, fieldsOf, logger, undefined);
}

/** Records Kubernetes Events for the events that matter to the owner of the application. */
export function recordObserverEvents(record: (occurrence: EventDraft) => void): ReportObserver {
  return recordByTable(observerTable, applicationOf, record, undefined);
}

function fieldsOf(event: ObserverEvent): object {
  if (!('application' in event)) return {};
  const { namespace, name: application } = event.application;
  return {
    namespace,
    application,
    ...('resource' in event ? { resource: identityText(event.resource), uid: event.uid } : {}),
  };
}

function applicationOf(event: ObserverEvent): ObjectRef | undefined {
  if (!('application' in event)) return undefined;
  const { namespace, name, uid } = event.application;
  return { apiVersion: `${applicationsGroup}/${applicationsVersion}`, kind: 'Application', namespace, name, uid };
}
