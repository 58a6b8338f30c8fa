import type { RecordedLine } from '../../recording/lines.ts';
import type { ObserverInput } from '../../recording/observer/observerLines.ts';
import { applicationOf } from '../../recording/observer/recordedObserverEvent.ts';
import type { TimelineEvent } from '../recorded/timelineEvent.ts';

/** What reached the application observer. */
export function observerInputs(lines: readonly RecordedLine[]): ObserverInput[] {
  return lines.flatMap((line) => ('observer' in line && 'in' in line.observer ? line.observer : []));
}

/** Its events and requests, as far as a replay has to come to the same: not of applications that were busy. */
export function comparableObserverEvents(lines: readonly RecordedLine[]): TimelineEvent[] {
  const busy = new Set<string>();
  return lines.flatMap((line) => {
    if (!('observer' in line)) return [];
    const { observer: entry, t } = line;
    if ('out' in entry) return busy.has(applicationOf(entry) ?? '') ? [] : { t, ...entry };
    if (entry.in === 'snapshotEnd') for (const application of entry.busy) busy.add(application);
    if (entry.in === 'settled') busy.delete(entry.application);
    return [];
  });
}
