import type { RecordedEvent } from '../../recording/events.ts';
import type { Input } from '../../recording/file/entry.ts';
import type { ControllerName, RecordedLine } from '../../recording/lines.ts';
import { applicationOf } from '../../recording/observer/recordedObserverEvent.ts';
import type { TimelineEvent } from './timelineEvent.ts';

type IsExcluded = (event: Pick<RecordedEvent, 'out' | 'about'>, busy: ReadonlySet<string>) => boolean;

/**
 * Whether an event is about one of the workloads or applications that cannot be replayed until they settle, because the
 * file begins in the middle of their work. The workload of an evicted pod is unknown: its namespace decides. The events
 * of the weeder are excluded by `comparableEvents`.
 */
export const isExcluded: Readonly<Record<ControllerName, IsExcluded>> = {
  weeder: () => false,
  restart({ out, about }, busy) {
    if (out !== 'eviction.requested') return busy.has(about);
    return [...busy].some((workload) => workload.split('/')[1] === about.split('/')[0]);
  },
  observer: (event, busy) => busy.has(applicationOf(event) ?? ''),
};

/** Takes what is busy from a line of a file. */
export function applyBusy(input: Input, busy: Set<string>): void {
  if (input.in === 'snapshotEnd') for (const id of input.busy) busy.add(id);
  else if (input.in === 'settled') busy.delete(input.id);
}

/** Returns the events and requests of a controller that a replay has to reproduce. */
export function comparableEventsOf(of: ControllerName, lines: readonly RecordedLine[]): TimelineEvent[] {
  const busy = new Set<string>();
  return lines.flatMap((line) => {
    if (line.of !== of) return [];
    if ('in' in line) applyBusy(line, busy);
    return 'about' in line && !isExcluded[of](line, busy) ? line : [];
  });
}
