import type { RecordedLine } from '../../recording/lines.ts';
import type { RecordedRestartEvent } from '../../recording/restart/recordedRestartEvent.ts';
import type { RestartInput } from '../../recording/restart/restartLines.ts';
import type { TimelineEvent } from '../recorded/timelineEvent.ts';

/** The workloads of which a file that begins in the middle does not say enough, until they have come to rest. */
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

/** The events and requests of restart control, as far as a replay has to come to the same. */
export function comparableRestartEvents(lines: readonly RecordedLine[]): TimelineEvent[] {
  const excluded = createExcludedWorkloads();
  return lines.flatMap((line) => {
    if (!('restart' in line)) return [];
    if ('in' in line.restart) excluded.apply(line.restart);
    else if (!excluded.covers(line.restart)) return { t: line.t, ...line.restart };
    return [];
  });
}
