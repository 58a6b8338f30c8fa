import type { RecordedEvent } from '../../recording/events.ts';
import type { Input } from '../../recording/file/entry.ts';
import type { ControllerName, RecordedLine } from '../../recording/lines.ts';
import { applicationOf } from '../../recording/observer/recordedObserverEvent.ts';
import type { TimelineEvent } from './timelineEvent.ts';

type OtherController = Exclude<ControllerName, 'weeder'>;

/**
 * Whether an event is about one of the workloads or applications that cannot be replayed until they settle, because the
 * file begins in the middle of their work. The workload of an evicted pod is unknown: its namespace decides.
 */
export const isExcluded: Readonly<
  Record<OtherController, (event: Pick<RecordedEvent, 'out' | 'about'>, busy: ReadonlySet<string>) => boolean>
> = {
  restart({ out, about }, busy) {
    if (out !== 'eviction.requested') return busy.has(about);
    return [...busy].some((workload) => workload.split('/')[1] === about.split('/')[0]);
  },
  observer: (event, busy) => busy.has(applicationOf(event) ?? ''),
};

/** Takes the ids that are busy from the lines of a file. */
function applyBusy(input: Input, busy: Set<string>): void {
  if (input.in === 'snapshotEnd') for (const id of input.busy) busy.add(id);
  else if (input.in === 'settled') busy.delete(input.id);
}

/** Returns the events and requests of a controller that a replay has to reproduce. */
export function comparableEventsOf(of: OtherController, lines: readonly RecordedLine[]): TimelineEvent[] {
  const busy = new Set<string>();
  return lines.flatMap((line) => {
    if (line.of !== of) return [];
    if ('in' in line) applyBusy(line, busy);
    return 'about' in line && !isExcluded[of](line, busy) ? line : [];
  });
}
