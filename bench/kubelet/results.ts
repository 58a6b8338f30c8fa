import { z } from 'zod';
import { median, percentile } from '../support/statistics.ts';
import { table } from '../support/table.ts';
import { type Case, cases, type Outcome } from './cases.ts';

/** What a measurement leaves behind: `results.json` beside this file is the committed one. */
export const Results = z.object({
  /** The day. */
  measured: z.string(),
  kubelet: z.string(),
  runtime: z.string(),
  machine: z.string(),
  /** Trials of each case, with weeder and without. */
  runs: z.number(),
  outcomes: z.array(
    z.object({
      lives: z.number(),
      backOff: z.number(),
      returnsAfter: z.number(),
      helped: z.boolean(),
      seconds: z.number(),
      deletedAfter: z.number().optional(),
      reported: z.enum(['terminated', 'CrashLoopBackOff']),
      into: z.number(),
      replaced: z.boolean(),
    }),
  ),
});
export type Results = z.infer<typeof Results>;

/** At the median and at worst, with weeder, in every case in which the back-off has begun; seconds. */
const goal = { median: 1, worst: 3 } as const;

interface Row extends Case {
  readonly without: Summary;
  readonly withWeeder: Summary;
  /** Until the deletion, at the median. */
  readonly deletedAfter: number;
}

interface Summary {
  readonly median: number;
  readonly best: number;
  readonly worst: number;
}

/** Each case in a row. */
function rowsOf(outcomes: readonly Outcome[]): Row[] {
  return cases.map((one) => {
    const isOfCase = ({ lives, backOff, returnsAfter }: Case): boolean =>
      lives === one.lives && backOff === one.backOff && returnsAfter === one.returnsAfter;
    const ofCase = outcomes.filter(isOfCase);
    return {
      ...one,
      without: summary(ofCase.filter(({ helped }) => !helped)),
      withWeeder: summary(ofCase.filter(({ helped }) => helped)),
      deletedAfter: median(ofCase.flatMap(({ deletedAfter = [] }) => deletedAfter)),
    };
  });
}

function summary(outcomes: readonly Outcome[]): Summary {
  const seconds = outcomes.map((each) => each.seconds);
  return { median: median(seconds), best: percentile(seconds, 0), worst: percentile(seconds, 100) };
}

/** The table as Markdown, and how it came about. */
export function recoveryTable({ measured, kubelet, runtime, machine, runs, outcomes }: Results): string {
  const rows = rowsOf(outcomes).map(({ lives, backOff, returnsAfter, without, withWeeder, deletedAfter }) => [
    lives === 0 ? 'at once' : `after ${lives} s`,
    `${backOff} s`,
    returnsAfter === 0 ? 'as it begins' : `${returnsAfter} s into it`,
    withRange(without),
    short(withWeeder.median),
    short(withWeeder.worst),
    short(deletedAfter),
  ]);
  const silent = outcomes.filter(({ reported }) => reported === 'terminated').length;
  return [
    table(
      [
        'the dependant exits',
        'its back-off',
        'the service returns',
        'without weeder',
        'with weeder',
        'at worst',
        'its part',
      ],
      rows,
    ),
    '',
    `Medians of ${runs}, and the range without weeder; measured on ${measured} by \`npm run bench:kubelet\` with ${kubelet} ` +
      `and ${runtime}, ${machine}: the time from the service's EndpointSlice turning ready to the dependant's pod being ` +
      'Ready, both as an independent watcher sees them; weeder’s own part ends when the pod is seen deleted, and the rest ' +
      'is what the cluster takes for a new pod. All trials run side by side on one node, and weeder is told of the ' +
      'services of one half. The dependants have no readiness probe, so they are Ready as soon as they run. ' +
      `In ${silent} of the ${outcomes.length} trials the kubelet reported \`terminated\` when the service returned, and not \`CrashLoopBackOff\`.`,
  ].join('\n');
}

/** Whether the goal is met, with a line for each case. */
export function verdict(outcomes: readonly Outcome[]): { readonly isMet: boolean; readonly lines: readonly string[] } {
  const judged = rowsOf(outcomes).map((row) => ({ ...row, judgement: judge(row) }));
  return {
    isMet: judged.every(({ judgement }) => judgement !== 'missed'),
    lines: judged.map(({ judgement, lives, backOff, returnsAfter, withWeeder }) => {
      const subject = `lives ${lives} s, back-off ${backOff} s, service back after ${returnsAfter} s`;
      const below = (limit: number): string => (judgement === 'no goal' ? '' : ` (< ${limit} s)`);
      const figures = `median ${short(withWeeder.median)}${below(goal.median)}, worst ${short(withWeeder.worst)}${below(goal.worst)}`;
      return `${judgement.padEnd(8)} ${subject}: ${figures}`;
    }),
  };
}

function judge({ returnsAfter, withWeeder }: Row): 'met' | 'missed' | 'no goal' {
  if (returnsAfter === 0) return 'no goal';
  return withWeeder.median < goal.median && withWeeder.worst < goal.worst ? 'met' : 'missed';
}

function short(seconds: number): string {
  return `${seconds.toFixed(2)} s`;
}

/** The median and, where they differ, the range. */
function withRange({ median: middle, best, worst }: Summary): string {
  const [low, high] = [best.toFixed(0), worst.toFixed(0)];
  return `${middle.toFixed(0)} s${low === high ? '' : ` (${low}–${high})`}`;
}
