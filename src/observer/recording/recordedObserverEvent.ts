import { objectText, partsOf } from '@weeder/kube-runtime/objects';
import { detailOf } from '../../controller/report/readers.ts';
import { decision, type EventKind, report } from '../../controller/report/reportTable.ts';
import type { IsExcluded } from '../../recording/file/lines.ts';
import type { ObserverEvent } from '../objects/events.ts';
import { identityText } from '../objects/identity.ts';
import { observerTable } from '../report/observerTable.ts';

/** An event of the application observer, or a write request, as recorded and as printed in a timeline. */
interface RecordedObserverEvent {
  readonly out: ObserverEvent['type'] | 'resource.write' | 'status.write';
  /** `namespace/application`, with the resource behind it: `shop/web Deployment shop/web`. */
  readonly about: string;
  /** Only paths, names and classes: no values, and nothing that depends on timing alone. */
  readonly detail: string;
}

export const observerEventKinds: Readonly<Record<RecordedObserverEvent['out'], EventKind>> = {
  ...observerTable,
  'resource.write': decision('write requested'),
  'status.write': report('status written'),
};

export function recordedObserverEventOf(event: ObserverEvent): RecordedObserverEvent {
  return { out: event.type, about: aboutOf(event), detail: detailOf(observerTable, event) };
}

/** Returns the application that an event is about; undefined if there is none. */
export function applicationOf({ about, out }: { readonly about: string; readonly out: string }): string | undefined {
  return out === 'actor.failed' ? undefined : about.split(' ')[0];
}

/** `Application shop/web`; the name of an actor is as it is. */
export function recordedApplication(event: { readonly about: string; readonly out: string }): string {
  const application = applicationOf(event);
  return application === undefined ? event.about : objectText({ kind: 'Application', ...partsOf(application) });
}

export const isExcludedApplication: IsExcluded = (event, busy) => busy.has(applicationOf(event) ?? '');

function aboutOf(event: ObserverEvent): string {
  if (event.type === 'actor.failed') return event.actor;
  const { namespace, name } = event.application;
  return 'resource' in event ? `${namespace}/${name} ${identityText(event.resource)}` : `${namespace}/${name}`;
}
