import { z } from 'zod';
import { median, percentile } from '../support/statistics.ts';
import { table } from '../support/table.ts';
import { backOffOf, type Case, cases, casesOf, longestBackOffs, type Outcome } from './cases.ts';

/** The results of a measurement. The committed ones are in `results.json`. */
export const Results = z.object({
  /** The day. */
  measured: z.string(),
  kubelet: z.string(),
  runtime: z.string(),
  machine: z.string(),
  /** How weeder ran, such as `in a pod from its image`. */
  weeder: z.string(),
  /** Trials of each case, with weeder and without. */
  runs: z.number(),
  outcomes: z.array(
    z.object({
      runsFor: z.number(),
      restarts: z.number(),
      longestBackOff: z.number(),
      recoversAfter: z.number(),
      hasWeeder: z.boolean(),
      seconds: z.number(),
      deletedAfter: z.number().optional(),
      reported: z.enum(['terminated', 'CrashLoopBackOff']),
      backOffElapsed: z.number(),
      replaced: z.boolean(),
    }),
  ),
});
export type Results = z.infer<typeof Results>;

/**
 * The goal for the median and for the worst trial with weeder, in every case in which the back-off has begun. Seconds.
 */
const goal = { median: 1, worst: 3 } as const;

interface Row extends Case {
  readonly without: Summary;
  readonly withWeeder: Summary;
  /** The median time until the deletion. Seconds. */
  readonly deletedAfter: number;
}

interface Summary {
  readonly median: number;
  readonly best: number;
  readonly worst: number;
}

/** One row for each case. */
function rowsOf(outcomes: readonly Outcome[], kinds: readonly Case[] = cases): Row[] {
  return kinds.map((one) => {
    const ofCase = outcomes.filter((outcome) => isOf(one, outcome));
    return {
      ...one,
      without: summary(ofCase.filter(({ hasWeeder }) => !hasWeeder)),
      withWeeder: summary(ofCase.filter(({ hasWeeder }) => hasWeeder)),
      deletedAfter: median(ofCase.flatMap(({ deletedAfter = [] }) => deletedAfter)),
    };
  });
}

function isOf(one: Case, other: Case): boolean {
  const key = ({ runsFor, restarts, longestBackOff, recoversAfter }: Case): string =>
    [runsFor, restarts, longestBackOff, recoversAfter].join();
  return key(one) === key(other);
}

function summary(outcomes: readonly Outcome[]): Summary {
  const seconds = outcomes.map((each) => each.seconds);
  return { median: median(seconds), best: percentile(seconds, 0), worst: percentile(seconds, 100) };
}

/** The first case, which the README gives. */
export function recoverySentence({ kubelet, outcomes }: Results): string {
  const [first] = rowsOf(outcomes);
  if (first === undefined) throw new Error('There is no case.');
  const times = `${short(first.withWeeder.median)} after its service recovers, instead of ${first.without.median.toFixed(0)} s`;
  return (
    `On a real node (${kubelet}), a crash-looping pod in a back-off of ${backOffOf(first)} s is Ready **${times}** ` +
    '([all figures](docs/development/benchmarks.md#on-a-real-kubelet)).'
  );
}

/** A section of docs/development/benchmarks.md: the table for the default back-off, and how it was measured. */
export function kubeletReport({ measured, kubelet, runtime, machine, weeder, runs, outcomes }: Results): string {
  const ofDefault = outcomes.filter(({ longestBackOff }) => longestBackOff === longestBackOffs.default);
  const silent = ofDefault.filter(({ reported }) => reported === 'terminated').length;
  return [
    `## On a real kubelet

The time runs from the service's EndpointSlice becoming ready to the dependant’s pod becoming Ready, both as a separate watcher sees them. weeder’s share ends when the pod is deleted; the cluster needs the rest for a new pod. All trials run in parallel on one node, and the config of weeder names the services of one half. The dependants have no readiness probe, so they are Ready as soon as they run. If the service recovers just after the dependant has exited, weeder waits until 2 seconds after the exit, because until then the kubelet may restart the container at once. [Concepts](../explanation/concepts.md#kubelets-with-a-short-back-off) has the figures of a kubelet whose back-off lasts 10 s at most.`,
    tableOf(ofDefault, longestBackOffs.default),
    `Medians of ${runs} trials, with the range without weeder; measured on ${measured} by \`npm run bench:kubelet\` with ` +
      `${kubelet} and ${runtime}, ${machine}; weeder ran ${weeder}. In ${silent} of the ${ofDefault.length} trials the ` +
      'kubelet reported `terminated` when the service recovered, and not `CrashLoopBackOff`.',
  ].join('\n\n');
}

/** The same for a kubelet with a short maximum. */
export function shortBackOffTable({ measured, kubelet, runs, outcomes }: Results): string {
  return [
    tableOf(outcomes, longestBackOffs.short),
    '',
    `Medians of ${runs} trials, measured on ${measured} with ${kubelet} and \`maxContainerRestartPeriod: ` +
      `${longestBackOffs.short}s\`, as in the [benchmarks](../development/benchmarks.md#on-a-real-kubelet).`,
  ].join('\n');
}

function tableOf(outcomes: readonly Outcome[], longest: number): string {
  const rows = rowsOf(outcomes, casesOf(longest)).map((row) => [
    row.runsFor === 0 ? 'at once' : `after ${row.runsFor} s`,
    `${backOffOf(row)} s`,
    row.recoversAfter === 0 ? 'as the back-off begins' : `${row.recoversAfter} s into it`,
    withRange(row.without),
    short(row.withWeeder.median),
    short(row.withWeeder.worst),
    short(row.deletedAfter),
  ]);
  const columns = ['the dependant exits', 'its back-off', 'the service recovers', 'without weeder', 'with weeder'];
  return table([...columns, 'worst', 'weeder’s share'], rows);
}

/** Whether the goal is met, with a line for each case. */
export function verdict(outcomes: readonly Outcome[]): { readonly isMet: boolean; readonly lines: readonly string[] } {
  const judged = rowsOf(outcomes).map((row) => ({ ...row, judgement: judge(row) }));
  return {
    isMet: judged.every(({ judgement }) => judgement !== 'missed'),
    lines: judged.map((row) => {
      const { judgement, runsFor, recoversAfter, withWeeder } = row;
      const subject = `runs ${runsFor} s, back-off ${backOffOf(row)} s, service recovers after ${recoversAfter} s`;
      const below = (limit: number): string => (judgement === 'no goal' ? '' : ` (< ${limit} s)`);
      const figures = `median ${short(withWeeder.median)}${below(goal.median)}, worst ${short(withWeeder.worst)}${below(goal.worst)}`;
      return `${judgement.padEnd(8)} ${subject}: ${figures}`;
    }),
  };
}

function judge({ recoversAfter, withWeeder }: Row): 'met' | 'missed' | 'no goal' {
  if (recoversAfter === 0) return 'no goal';
  return withWeeder.median < goal.median && withWeeder.worst < goal.worst ? 'met' : 'missed';
}

function short(seconds: number): string {
  return `${seconds.toFixed(2)} s`;
}

/** The median, and the range if its ends differ. */
function withRange({ median: middle, best, worst }: Summary): string {
  const [low, high] = [best.toFixed(0), worst.toFixed(0)];
  return `${middle.toFixed(0)} s${low === high ? '' : ` (${low}–${high})`}`;
}
