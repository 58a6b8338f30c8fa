import type { RecordedLine } from '../../recording/lines.ts';
import type { RecordedRestartEvent } from '../../recording/restart/recordedRestartEvent.ts';
import type { RestartInput } from '../../recording/restart/restartLines.ts';
import type { TimelineEvent } from '../recorded/timelineEvent.ts';

/** The workloads that cannot be replayed until they settle, because the file begins in the middle of their work. */
interface ExcludedWorkloads {
  apply(input: RestartInput): void;
  has(workload: string): boolean;
  /** Whether an event is about one of them. The workload of an evicted pod is unknown: its namespace decides. */
  covers(event: RecordedRestartEvent): boolean;
}

export function createExcludedWorkloads(): ExcludedWorkloads {
  const busy = new Set<string>();
  return {
    apply(input) {
      if (input.in === 'snapshotEnd') for (const workload of input.busy) busy.add(workload);
      if (input.in === 'settled') busy.delete(input.workload);
    },
    has: (workload) => busy.has(workload),
    covers({ out, about }) {
      if (out !== 'eviction.requested') return busy.has(about);
      return [...busy].some((workload) => workload.split('/')[1] === about.split('/')[0]);
    },
  };
}

/** Returns the events and requests of restart control that a replay has to reproduce. */
export function comparableRestartEvents(lines: readonly RecordedLine[]): TimelineEvent[] {
  const excluded = createExcludedWorkloads();
  return lines.flatMap((line) => {
    if (!('restart' in line)) return [];
    if ('in' in line.restart) excluded.apply(line.restart);
    else if (!excluded.covers(line.restart)) return { t: line.t, ...line.restart };
    return [];
  });
}
