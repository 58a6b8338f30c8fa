import type { RecordedLine } from '../../recording/lines.ts';
import type { ObserverInput } from '../../recording/observer/observerLines.ts';
import { applicationOf } from '../../recording/observer/recordedObserverEvent.ts';
import type { TimelineEvent } from '../recorded/timelineEvent.ts';

/** Returns the recorded inputs of the application observer. */
export function observerInputs(lines: readonly RecordedLine[]): ObserverInput[] {
  return lines.flatMap((line) => ('observer' in line && 'in' in line.observer ? line.observer : []));
}

/**
 * Returns the events and requests of the application observer that a replay has to reproduce: not those of busy
 * applications.
 */
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
