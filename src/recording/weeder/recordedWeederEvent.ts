import { detailOf } from '../../controller/report/readers.ts';
import type { EventKind } from '../../controller/report/reportTable.ts';
import type { WeederEvent } from '../../weeder/deletions/weederEvents.ts';
import { workloadName } from '../../weeder/pods/workloadOf.ts';
import { weederTable } from '../../weeder/report/weederTable.ts';

/**
 * An event of the weeder, as recorded and as printed in a timeline: flat, and without anything that depends on timing
 * alone.
 */
export interface RecordedWeederEvent {
  readonly out: WeederEvent['type'];
  /** `namespace/service`, or the actor that failed, or a workload. */
  readonly about: string;
  readonly window?: number;
  /** `namespace/name`. */
  readonly pod?: string;
  readonly detail: string;
}

export const weederEventKinds: Readonly<Record<RecordedWeederEvent['out'], EventKind>> = weederTable;

/**
 * Returns one event for each affected window, because a replay that begins in the middle may know only some of them.
 */
export function recordedEventsOf(event: WeederEvent): RecordedWeederEvent[] {
  const detail = detailOf(weederTable, event);
  if (event.type === 'actor.failed') return [{ out: event.type, about: event.actor, detail }];
  if (event.type === 'declaration.problem') return [{ out: event.type, about: workloadName(event.workload), detail }];
  const windows = 'also' in event ? [event, ...event.also] : [event];
  return windows.map((each) => ({
    out: event.type,
    about: `${each.namespace}/${each.service}`,
    ...('window' in each ? { window: each.window } : {}),
    ...('pod' in event ? { pod: `${event.pod.namespace}/${event.pod.name}` } : {}),
    detail,
  }));
}
