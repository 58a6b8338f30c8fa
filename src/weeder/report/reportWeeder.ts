import type { EventDraft, ObjectRef } from '@weeder/kube-runtime/events';
import { objectText } from '@weeder/kube-runtime/objects';
import type { Logger } from '../../base/log.ts';
import { logByTable, recordByTable } from '../../controller/report/readers.ts';
import { type ReportWeeder, type WeederEvent, windowRefOf } from '../deletions/weederEvents.ts';
import { ownerApis } from '../owners/failedCreate.ts';
import { weederTable } from './weederTable.ts';
import type { WeederRun } from './wording.ts';

/** Writes each event as one line with namespace, service, pod, window and cause. */
export function logWeeder(logger: Logger, run: WeederRun): ReportWeeder {
  return logByTable(weederTable, fieldsOf, logger, run);
}

function fieldsOf(event: WeederEvent): object {
  if (event.type === 'actor.failed') return {};
  if (event.type === 'declaration.problem') return { workload: objectText(event.workload) };
  if (event.type === 'creations.dropped') return { namespace: event.namespace };
  if (!('window' in event)) return { namespace: event.namespace, service: event.service };
  if ('owner' in event) return { ...windowRefOf(event), object: objectText(event.owner), webhook: event.webhook };
  if (!('pod' in event)) return windowRefOf(event);
  const { namespace, name, uid, container, cause, restarts, message } = event.pod;
  const pod = { pod: `${namespace}/${name}`, uid, container, cause, restarts, backOff: message };
  return { ...windowRefOf(event), ...pod };
}

interface RecordEventsOptions extends WeederRun {
  readonly record: (occurrence: EventDraft) => void;
  /** The uid of the Service, if known. */
  readonly serviceUid: (namespace: string, service: string) => string | undefined;
}

/** Records as Kubernetes Events those events that help a user who inspects the pod or the service. */
export function recordWeederEvents({ record, serviceUid, ...run }: RecordEventsOptions): ReportWeeder {
  /** The uids of the Services with an open window, stored because their slices may be deleted when the window closes. */
  const uids = new Map<string, string | undefined>();

  return recordByTable(weederTable, regarding, record, run);

  function regarding(event: WeederEvent): ObjectRef | undefined {
    if (event.type === 'declaration.problem') return event.workload;
    if ('pod' in event) {
      const { namespace, name, uid } = event.pod;
      return { apiVersion: 'v1', kind: 'Pod', namespace, name, uid };
    }
    if ('owner' in event) return { ...event.owner, apiVersion: ownerApis[event.owner.kind] };
    if (!('window' in event)) return undefined;
    const { namespace, service, window } = event;
    const key = `${namespace}/${service}#${window}`;
    if (event.type === 'window.opened') uids.set(key, serviceUid(namespace, service));
    const ref = { apiVersion: 'v1', kind: 'Service', namespace, name: service, uid: uids.get(key) };
    if (event.type === 'window.closed') uids.delete(key);
    return ref;
  }
}
