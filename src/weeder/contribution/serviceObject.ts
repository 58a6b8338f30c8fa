import { keyOf } from '@weeder/kube-runtime/objects';
import {
  compareNames,
  count,
  healthOfService,
  instant,
  type Moment,
  type ObjectLine,
  type ObjectPart,
  objectSection,
  type ServiceView,
} from '@weeder/live-page';
import { describeService, originOf } from '../../config/describeSettings.ts';
import type { SeenObject } from '../../controller/contribution/contribution.ts';
import { type Dependant, dependantId, sourceText } from '../dependants.ts';
import { describeBackOff } from '../pods/backOff.ts';
import type { CrashLoopingPod } from '../pods/crashLooping.ts';
import type { ShownWeeder } from '../weederController.ts';
import { nameOf, serviceLine } from './weederOverview.ts';

/** The page of a service: `shop/db`. */
export function serviceObject(shown: ShownWeeder, id: string, seen: SeenObject): ObjectPart | undefined {
  const service = [...seen.services].find((each) => nameOf(each) === id);
  if (service === undefined) return undefined;
  const dependants = shown
    .dependants(service.namespace, service.service)
    .toSorted((a, b) => b.pods().length - a.pods().length || compareNames(a.name, b.name));
  const pods = new Map(dependants.flatMap((each) => each.pods()).map((pod) => [pod.uid, pod]));
  const closed = seen.moments.filter(({ what }) => what === 'window.closed').toReversed();
  return {
    ...serviceLine(service, seen.now),
    health: healthOfService(service),
    facts: [...settingsOf(shown, service), ...windowOf(service)],
    sections: [
      objectSection('Dependants', dependants, (each) => dependantLine(each, seen), 'No dependant is known.'),
      objectSection('Pods that crash-loop', [...pods.values()].sort(byName), podLine, 'None.'),
      objectSection('Closed windows', closed, windowLine, 'None in the last hour.'),
    ],
    actor: service.actor,
  };
}

function settingsOf(shown: ShownWeeder, { namespace, service }: ServiceView): ObjectPart['facts'] {
  const settings = shown.settings(namespace, service);
  if (settings === undefined) return [];
  return [['Settings', `${describeService(settings)} (${originOf(settings, service)})`]];
}

function windowOf({ window, deleted, retried, skipped, failed }: ServiceView): ObjectPart['facts'] {
  if (window === undefined) return [];
  const again = retried === 0 ? '' : `${count(retried)} retried, `;
  const result = `${count(deleted)} deleted, ${again}${count(skipped)} skipped, ${count(failed)} failed`;
  return [['Window', `number ${window.number}, open since ${instant(window.openedAt)}: ${result}`]];
}

/** A podSelector has no page; a workload has one if restart control manages it. */
function dependantLine(dependant: Dependant, { isManaged }: SeenObject): ObjectLine {
  const { by, name } = dependant;
  const source = sourceText(dependant);
  const crashing = dependant.pods().length;
  return {
    object: dependantId(dependant),
    page: by === 'declared' && isManaged(name) ? { type: 'workload', id: name } : undefined,
    words: `${by}${source === '' ? '' : `, by ${source}`}${crashing === 0 ? '' : `, ${count(crashing)} crash-looping`}`,
    health: crashing === 0 ? 'healthy' : 'progressing',
    since: undefined,
    next: undefined,
  };
}

function podLine(pod: CrashLoopingPod): ObjectLine {
  const { namespace, name, container, restarts } = pod;
  const id = keyOf(namespace, name);
  return {
    object: `Pod ${id}`,
    page: { type: 'pod', id },
    words: `container ${container}, ${restarts} restarts, ${describeBackOff(pod)}`,
    health: 'progressing',
    since: undefined,
    next: undefined,
  };
}

function windowLine({ t, window, detail }: Moment): ObjectLine {
  return { object: `Window ${window}`, page: undefined, words: `${detail}, closed`, since: t, next: undefined };
}

function byName(a: CrashLoopingPod, b: CrashLoopingPod): number {
  return compareNames(keyOf(a.namespace, a.name), keyOf(b.namespace, b.name));
}
