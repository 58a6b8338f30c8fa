import type { Goal } from '../support/goals.ts';
import type { DriftCase } from './driftResults.ts';

/** The size that the goals apply to: smaller sizes are for experiments. */
const goalSize = 1000;
/** The limit for the time of five times as many drifts. */
const linear = 5 * 1.2;
/** On the machine for which 1,000 drifts in 3 s are the goal, the bare script takes 2 s. */
const beyondBare = 3 / 2;

/** The goals that apply to these cases. */
export function driftGoals(cases: readonly DriftCase[]): Goal[] {
  return cases.filter(({ applications }) => applications >= goalSize).flatMap(goalsOf);
}

function goalsOf({ applications, kinds, weeder, bare }: DriftCase): Goal[] {
  if (weeder === undefined) return [];
  const { single, many, all, streams, first, again, afterRss, idleRequests, idleCpu } = weeder;
  const goal = (what: string, limit: number, value: number, unit: Goal['unit'] = ''): Goal => ({
    what: `${what} with ${applications} applications`,
    limit,
    value,
    unit,
  });
  return [
    goal('p50 of one drift', 15, single.p50, 'ms'),
    goal('p99 of one drift', 120, single.p99, 'ms'),
    goal(`${many.count} drifts at once`, 3000, many.total, 'ms'),
    ...(bare === undefined
      ? []
      : [
          goal(
            `${many.count} drifts at once, relative to the bare script`,
            beyondBare,
            many.total / bare.many.total,
            '×',
          ),
        ]),
    goal(`${all.count} drifts at once, relative to ${many.count}`, linear, all.total / many.total, '×'),
    goal('streams', kinds + 1, streams ?? Number.NaN),
    goal('memory after applying everything', 250, first.rss, 'MiB'),
    goal('memory after the next start', 250, again.rss, 'MiB'),
    goal('memory after the corrections', 250, afterRss, 'MiB'),
    goal('requests a second at rest', 1, idleRequests ?? Number.NaN),
    goal('CPU at rest', 0.5, idleCpu, '%'),
  ];
}
