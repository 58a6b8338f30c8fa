import type { EventDraft, ObjectRef } from '@weeder/kube-runtime/events';
import { bareKind, isWorkloadKind, workloadKinds } from '@weeder/kube-runtime/objects';
import type { Logger } from '../../base/log.ts';
import { logByTable, recordByTable } from '../../controller/report/readers.ts';
import type { ReportRestart, RestartEvent } from '../references/events.ts';
import { restartTable } from './restartTable.ts';

/** Logs each event as one line with namespace, workload and sources. */
export function logRestart(logger: Logger): ReportRestart {
  return logByTable(restartTable, fieldsOf, logger, undefined);
}

/** Records Kubernetes Events for what matters to the owner of the workload. */
export function recordRestartEvents(record: (occurrence: EventDraft) => void): ReportRestart {
  return recordByTable(restartTable, workloadOf, record, undefined);
}

function fieldsOf(event: RestartEvent): object {
  if (!('workload' in event)) return {};
  const { kind, namespace, name } = event.workload;
  return { namespace, workload: `${kind.toLowerCase()}/${name}`, uid: event.uid };
}

function workloadOf(event: RestartEvent): ObjectRef | undefined {
  if (!('workload' in event)) return undefined;
  const {
    kind,
    namespace,
    name,
    apiVersion = isWorkloadKind(kind) ? `${workloadKinds[kind].group}/v1` : '',
  } = event.workload;
  return { apiVersion, kind: bareKind(kind), namespace, name, uid: event.uid };
}
