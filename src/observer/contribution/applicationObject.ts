import { formatDuration } from '@weeder/kube-runtime/base';
import {
  type DriftView,
  healthRank,
  instant,
  type ObjectLine,
  type ObjectPart,
  objectSection,
  observerDisplay,
  type ResourceView,
  worstFirst,
} from '@weeder/live-page';
import type { Since } from '../../controller/contribution/contribution.ts';
import type { ApplicationEntry } from '../entries/entries.ts';
import type { ObserverCore } from '../observerCore.ts';
import { settingsSentence } from '../spec/settingsSentence.ts';
import { wholeView } from './applicationList.ts';
import { applicationLine } from './observerOverview.ts';

/** The page of an Application: `shop/web`. */
export function applicationObject(
  { entries, accountOf }: Pick<ObserverCore, 'entries' | 'accountOf'>,
  id: string,
  since: Since,
): ObjectPart | undefined {
  for (const entry of entries()) if (entry.id === id) return partOf(entry, accountOf(entry), since);
  return undefined;
}

function partOf(entry: ApplicationEntry, account: string | undefined, since: Since): ObjectPart {
  const { actor, state, errors, resources } = wholeView(entry, since);
  const { spec } = entry.newest;
  const { pausedUntil } = spec;
  const settings = settingsSentence({ ...spec, resyncPeriod: formatDuration(spec.resyncPeriod), account });
  const worst = worstFirst<ResourceView>(
    (each) => healthRank(observerDisplay(each.state).health),
    (each) => each.id,
  );
  return {
    ...applicationLine({ entry, state }, since),
    health: observerDisplay(state).health,
    facts: [
      ['Settings', settings],
      ...(pausedUntil === undefined ? [] : [['Paused until', instant(pausedUntil)] as const]),
      ...errors.map((error) => ['Error', error] as const),
    ],
    sections: [objectSection('Resources', resources.toSorted(worst), resourceLine, 'None.')],
    actor,
  };
}

function resourceLine({ id, state, until, reason, conflictingManager, drifts, moreDrifts }: ResourceView): ObjectLine {
  const { words, health, next } = observerDisplay(state);
  const parts = [
    words,
    ...(reason === '' ? [] : [reason.replace(/\.$/, '')]),
    ...(conflictingManager === undefined ? [] : [`changed by ${conflictingManager}`]),
    ...drifts.map(inWords),
    ...(moreDrifts > 0 ? [`${moreDrifts} more differences`] : []),
  ];
  return {
    object: id,
    page: undefined,
    words: parts.join(', '),
    health,
    since: undefined,
    next: until === undefined || next === '' ? undefined : { words: next, at: until },
  };
}

/** `.spec.replicas is 3 instead of 1` */
function inWords({ path, type, desired, found }: DriftView): string {
  if (desired === undefined || found === undefined) return `${path} (${type})`;
  return `${path} is ${found} instead of ${desired}`;
}
