import { objectText } from '@weeder/kube-runtime/objects';
import { instant, type ObjectPart, objectSection, workloadDisplay } from '@weeder/live-page';
import { howOf, whomOf } from '../../config/describeSettings.ts';
import type { RestartConfig } from '../../config/restart.ts';
import type { Since } from '../../controller/contribution/contribution.ts';
import type { WorkloadEntry } from '../patches/workloadEntry.ts';
import type { RestartControl } from '../restartControl.ts';
import { workloadLine } from './restartOverview.ts';
import { workloadView } from './workloadList.ts';

/** The page of a workload: `Deployment shop/web`. */
export function workloadObject(shown: RestartControl, id: string, since: Since): ObjectPart | undefined {
  for (const entry of shown.entries())
    if (objectText(entry.observed.summary.ref) === id) return partOf(entry, shown.config(), since);
  return undefined;
}

function partOf(entry: WorkloadEntry, config: RestartConfig, since: Since): ObjectPart {
  const view = workloadView(entry, since);
  const { sources, restarts, cause } = view;
  return {
    ...workloadLine(view),
    health: workloadDisplay(view.state).health,
    facts: [
      ...settingsOf(entry, config),
      ...(restarts.length === 0 ? [] : [['Restarts', restarts.map(instant).join(', ')] as const]),
      ...(cause === '' ? [] : [['Cause of the last', cause] as const]),
    ],
    sections: [objectSection('ConfigMaps and Secrets', sources, sourceLine, 'None.')],
    actor: view.id,
  };
}

function settingsOf(
  { observed: { settings } }: WorkloadEntry,
  { rules, workloadKinds }: RestartConfig,
): ObjectPart['facts'] {
  if (settings === undefined) return [];
  const [place, rule] = [...rules.entries()].find(([, each]) => each === settings) ?? [];
  const from =
    rule === undefined
      ? 'the defaults of restartControl, by its annotation'
      : `rules[${place}]: ${whomOf(rule, workloadKinds)}`;
  return [['Settings', `${howOf(settings)} (from ${from})`]];
}

function sourceLine(source: string) {
  return { object: source, page: undefined, words: '', since: undefined, next: undefined };
}
