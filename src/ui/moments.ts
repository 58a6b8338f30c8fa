import type { AboutResource, ObserverEvent } from '../observer/model/events.ts';
import { identityText } from '../observer/model/identity.ts';
import { listed } from '../observer/model/wording.ts';
import { observerTable } from '../observer/report/observerTable.ts';
import type { ProcessEvent } from '../process/processLog.ts';
import type { RestartEvent } from '../restart/model/events.ts';
import { workloadKey } from '../restart/model/refs.ts';
import { describeChanges } from '../restart/model/wording.ts';
import { restartTable } from '../restart/report/restartTable.ts';
import type { WeederEvent } from '../weeder/deletions/weederEvents.ts';
import { recordedEventOf } from '../weeder/recording/recordedWeederEvent.ts';
import type { Moment } from './protocol.ts';

/** `t` is epoch milliseconds. */
export function weederMoment(event: WeederEvent, t: number): Moment {
  const { out, ...recorded } = recordedEventOf(event);
  return { t, what: out, ...recorded };
}

/** Undefined: the page does not show the event. */
export function restartMoment(event: RestartEvent, t: number): Moment | undefined {
  if (!restartTable[event.type].isOnPage || !('workload' in event)) return undefined;
  const { workload } = event;
  const isChange = 'sources' in event && typeof event.sources === 'object';
  const detail = isChange ? describeChanges(event.sources, workload) : reasonOf(event);
  return { t, what: event.type, about: workloadKey(workload), detail };
}

/** Undefined: the page does not show the event. It contains no values of fields. */
export function observerMoment(event: ObserverEvent, t: number): Moment | undefined {
  if (!observerTable[event.type].isOnPage || !('application' in event)) return undefined;
  const { namespace, name } = event.application;
  const detail = 'resource' in event ? `${identityText(event.resource)}${ofResource(event)}` : reasonOf(event);
  return { t, what: event.type, about: `application/${namespace}/${name}`, detail };
}

function ofResource(event: Extract<ObserverEvent, AboutResource>): string {
  const text = 'drifts' in event ? listed(event.drifts.map(({ path }) => path)) : reasonOf(event);
  const by =
    'conflictingManager' in event && event.conflictingManager !== undefined ? ` (by ${event.conflictingManager})` : '';
  return text === '' && by === '' ? '' : `: ${text}${by}`;
}

function reasonOf({ reason = '' }: { readonly type: string; readonly reason?: string }): string {
  return reason;
}

export function processMoment(event: ProcessEvent, t: number): Moment {
  return { t, what: event.type, about: 'lease' in event ? event.lease : 'config', detail: detailOf(event) };
}

function detailOf(event: ProcessEvent): string {
  switch (event.type) {
    case 'leadership.acquired':
      return event.identity;
    case 'leadership.lost':
      return event.reason;
    case 'leadership.standsBy':
      return event.holder;
    case 'leadership.released':
      return '';
    case 'config.applied':
      return `generation ${event.generation}`;
    case 'config.rejected':
      return event.problem.message;
  }
}
