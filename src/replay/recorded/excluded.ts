import { applicationOf } from '../../observer/recording/recordedObserverEvent.ts';
import type { RecordedEvent } from '../../recording/events.ts';
import type { Input } from '../../recording/file/entry.ts';
import type { ControllerName, RecordedLine } from '../../recording/lines.ts';
import { countedOnce } from './countedOnce.ts';
import type { TimelineEvent } from './timelineEvent.ts';

type IsExcluded = (event: Pick<RecordedEvent, 'out' | 'about'>, busy: ReadonlySet<string>) => boolean;

/**
 * Whether an event is about one of the services, workloads or applications that cannot be replayed until they settle,
 * because the file begins in the middle of their work. The workload of an evicted pod is unknown: its namespace decides.
 */
export const isExcluded: Readonly<Record<ControllerName, IsExcluded>> = {
  weeder: ({ about }, busy) => busy.has(about),
  restart({ out, about }, busy) {
    if (out !== 'eviction.requested') return busy.has(about);
    return [...busy].some((workload) => workload.split('/')[1] === about.split('/')[0]);
  },
  observer: (event, busy) => busy.has(applicationOf(event) ?? ''),
};

/** Takes what is busy from a line of a file. */
export function applyBusy(input: Input, busy: Set<string>): void {
  if (input.in === 'created') busy.clear();
  else if (input.in === 'snapshotEnd') for (const id of input.busy) busy.add(id);
  else if (input.in === 'settled') busy.delete(input.id);
}

/** Returns the events and requests that a replay has to reproduce. */
export function comparableEvents(lines: readonly RecordedLine[]): readonly TimelineEvent[] {
  const busy = { weeder: new Set<string>(), restart: new Set<string>(), observer: new Set<string>() };
  const events = lines.flatMap((line) => {
    if ('in' in line) applyBusy(line, busy[line.of]);
    return 'about' in line && !isExcluded[line.of](line, busy[line.of]) ? line : [];
  });
  return countedOnce(events);
}
