import { keyOf, objectText } from '@weeder/kube-runtime/objects';
import { detailOf } from '../../controller/report/readers.ts';
import type { EventKind } from '../../controller/report/reportTable.ts';
import type { IsExcluded } from '../../recording/file/lines.ts';
import type { WeederEvent } from '../deletions/weederEvents.ts';
import { weederTable } from '../report/weederTable.ts';

/**
 * An event of the weeder, as recorded and as printed in a timeline: flat, and without anything that depends on timing
 * alone.
 */
interface RecordedWeederEvent {
  readonly out: WeederEvent['type'];
  /** `namespace/service`, or the actor that failed, a workload, or a namespace. */
  readonly about: string;
  readonly window?: number;
  /** `namespace/name`. */
  readonly pod?: string;
  readonly detail: string;
}

export const weederEventKinds: Readonly<Record<RecordedWeederEvent['out'], EventKind>> = weederTable;

export const isExcludedService: IsExcluded = ({ about }, busy) => busy.has(about);

export function recordedWeederEventOf(event: WeederEvent): RecordedWeederEvent {
  const detail = detailOf(weederTable, event);
  if (event.type === 'actor.failed') return { out: event.type, about: event.actor, detail };
  if (event.type === 'creations.dropped') return { out: event.type, about: event.namespace, detail };
  if (event.type === 'declaration.problem') return { out: event.type, about: objectText(event.workload), detail };
  return {
    out: event.type,
    about: keyOf(event.namespace, event.service),
    ...('window' in event ? { window: event.window } : {}),
    ...('pod' in event ? { pod: keyOf(event.pod.namespace, event.pod.name) } : {}),
    detail,
  };
}
