import {
  compareNames,
  type ObjectLine,
  type OverviewPart,
  overviewGroup,
  overviewSummary,
  type WorkloadView,
  workloadDisplay,
} from '@weeder/live-page';
import type { Since } from '../../controller/contribution/contribution.ts';
import { stateOf } from '../patches/status.ts';
import type { WorkloadEntry } from '../patches/workloadEntry.ts';
import { workloadView } from './workloadList.ts';

/** Restart control's part of the overview. */
export function restartOverview(entries: Iterable<WorkloadEntry>, since: Since): OverviewPart {
  const all = [...entries].map((entry) => ({ entry, state: stateOf(entry) }));
  const stopped = all.filter(({ state }) => workloadDisplay(state).health === 'degraded');
  const waiting = all.filter(({ state }) => waits.has(state));
  const line = (each: Listed) => lineOf(each, since);
  return {
    summary: overviewSummary('No workload is managed', 'workload', all.length, stopped.length),
    since: undefined,
    problems: [{ severity: 'stopped', ...overviewGroup('workloads', stopped, byName, line) }],
    waits: [overviewGroup('workloads', waiting, byName, line)],
  };
}

interface Listed {
  readonly entry: WorkloadEntry;
  readonly state: string;
}

/** The states in which a restart waits for something, or for its new pods. */
const waits: ReadonlySet<string> = new Set(['stale', 'waiting', 'rolling', 'suspended']);

function byName(a: Listed, b: Listed): number {
  return compareNames(a.entry.id, b.entry.id);
}

function lineOf({ entry }: Listed, since: Since): ObjectLine {
  return workloadLine(workloadView(entry, since));
}

export function workloadLine({ name, state, reason, since, until }: WorkloadView): ObjectLine {
  const { words, next } = workloadDisplay(state);
  return {
    object: name,
    page: { type: 'workload', id: name },
    words: reason === '' ? words : `${words}: ${reason}`,
    since,
    next: until === undefined || next === '' ? undefined : { words: next, at: until },
  };
}
