import type { RecordedLine } from '../../recording/lines.ts';
import type { RestartInput } from '../../recording/restart/restartLines.ts';
import type { RestartTold } from '../../recording/restart/restartTold.ts';
import type { Timed } from '../recorded/timed.ts';

/** The workloads of which a file that begins in the middle does not say enough, until they have come to rest. */
interface PassedOver {
  learn(input: RestartInput): void;
  has(workload: string): boolean;
  /** Whether what is told is about one of them. Of an evicted pod nobody knows whose it is: its namespace decides. */
  covers(told: RestartTold): boolean;
}

export function createPassedOver(): PassedOver {
  const busy = new Set<string>();
  return {
    learn(input) {
      if (input.in === 'resume') for (const workload of input.busy) busy.add(workload);
      if (input.in === 'rest') busy.delete(input.workload);
    },
    has: (workload) => busy.has(workload),
    covers({ out, about }) {
      if (out !== 'eviction.requested') return busy.has(about);
      return [...busy].some((workload) => workload.split('/')[1] === about.split('/')[0]);
    },
  };
}

/** What restart control told and asked for, as far as a replay has to come to the same. */
export function restartsIn(lines: readonly RecordedLine[]): Timed[] {
  const passedOver = createPassedOver();
  return lines.flatMap((line) => {
    if (!('restart' in line)) return [];
    if ('in' in line.restart) passedOver.learn(line.restart);
    else if (!passedOver.covers(line.restart)) return { t: line.t, ...line.restart };
    return [];
  });
}
