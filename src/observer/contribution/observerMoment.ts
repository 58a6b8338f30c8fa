import { keyOf } from '@weeder/kube-runtime/objects';
import type { Moment } from '@weeder/live-page';
import { reasonOf } from '../../controller/report/eventReason.ts';
import type { AboutResource, ObserverEvent } from '../objects/events.ts';
import { identityText } from '../objects/identity.ts';
import { listed } from '../objects/wording.ts';
import { observerTable } from '../report/observerTable.ts';

/** Undefined: the page does not show the event. It contains no values of fields. */
export function observerMoment(event: ObserverEvent, t: number): Moment | undefined {
  if (!observerTable[event.type].isOnPage || !('application' in event)) return undefined;
  const detail = 'resource' in event ? `${identityText(event.resource)}${ofResource(event)}` : reasonOf(event);
  const { words } = observerTable[event.type];
  const { namespace, name } = event.application;
  const page = { type: 'application', id: keyOf(namespace, name) } as const;
  return { t, what: event.type, words, about: `Application ${page.id}`, page, detail };
}

function ofResource(event: Extract<ObserverEvent, AboutResource>): string {
  const text = 'drifts' in event ? listed(event.drifts.map(({ path }) => path)) : reasonOf(event);
  const by =
    'conflictingManager' in event && event.conflictingManager !== undefined ? ` (by ${event.conflictingManager})` : '';
  return text === '' && by === '' ? '' : `: ${text}${by}`;
}
