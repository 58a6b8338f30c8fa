import { objectText, workloadKindNames } from '@weeder/kube-runtime/objects';
import { detailOf } from '../../controller/report/readers.ts';
import { decision, type EventKind } from '../../controller/report/reportTable.ts';
import type { IsExcluded } from '../../recording/file/lines.ts';
import type { RestartEvent } from '../references/events.ts';
import { workloadKey } from '../references/refs.ts';
import { restartTable } from '../report/restartTable.ts';

/** An event of restart control, or a request that changes the cluster, as recorded and as printed in a timeline. */
interface RecordedRestartEvent {
  readonly out: RestartEvent['type'] | 'write.requested' | 'eviction.requested';
  /** `deployment/namespace/name`, `namespace/pod`, or another name. */
  readonly about: string;
  /** Only names and classes, and nothing that depends on timing alone. */
  readonly detail: string;
}

export const restartEventKinds: Readonly<Record<RecordedRestartEvent['out'], EventKind>> = {
  ...restartTable,
  'write.requested': decision('write requested'),
  'eviction.requested': decision('eviction requested'),
};

/** The workload of an evicted pod is unknown: its namespace decides. */
export const isExcludedWorkload: IsExcluded = ({ out, about }, busy) => {
  if (out !== 'eviction.requested') return busy.has(about);
  return [...busy].some((workload) => workload.split('/')[1] === about.split('/')[0]);
};

export function recordedRestartEventOf(event: RestartEvent): RecordedRestartEvent {
  return { out: event.type, about: aboutOf(event), detail: detailOf(restartTable, event) };
}

/** `Deployment shop/web`; another `about` is as it is. */
export function recordedWorkload({ about }: { readonly about: string }): string {
  const [key, namespace, name] = about.split('/');
  const kind = workloadKindNames.find((each) => each.toLowerCase() === key) ?? otherKindOf(key);
  if (kind === undefined || namespace === undefined || name === undefined) return about;
  return objectText({ kind, namespace, name });
}

/** A kind of another group, whose capital letters are not in the key. */
function otherKindOf(key: string | undefined): string | undefined {
  return key?.includes('.') ? key : undefined;
}

function aboutOf(event: RestartEvent): string {
  if ('workload' in event) return workloadKey(event.workload);
  return event.type === 'actor.failed' ? event.actor : 'hash key';
}
