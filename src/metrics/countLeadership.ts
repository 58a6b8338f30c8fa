import type { ProcessEvent, ReportProcess } from '../process/processLog.ts';
import type { Metrics } from './metrics.ts';

const changes: Readonly<Partial<Record<ProcessEvent['type'], string>>> = {
  'leadership.acquired': 'acquired',
  'leadership.lost': 'lost',
  'leadership.released': 'released',
};

/** Counts the changes of leadership. */
export function countLeadership(metrics: Metrics): ReportProcess {
  for (const change of Object.values(changes)) metrics.leadershipChanges.inc({ change }, 0);
  return ({ type }) => {
    const change = changes[type];
    if (change !== undefined) metrics.leadershipChanges.inc({ change });
  };
}
