import { z } from 'zod';
import { type Case, cases, type Outcome } from './cases.ts';

/** What a measurement leaves behind: `results.json` beside this file is the committed one. */
export const Results = z.object({
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
      helped: z.boolean(),
      seconds: z.number(),
      reported: z.enum(['terminated', 'CrashLoopBackOff']),
      into: z.number(),
      replaced: z.boolean(),
    }),
  ),
});
export type Results = z.infer<typeof Results>;

/** At the median and at worst, with weeder, in every case; seconds. */
const goal = { median: 1, worst: 3 } as const;

interface Row extends Case {
  readonly without: Summary;
  readonly withWeeder: Summary;
  /** What the kubelet reported at the recovery, in how many of the trials. */
  readonly silent: string;
  readonly isMet: boolean;
}

interface Summary {
  readonly median: number;
  readonly best: number;
  readonly worst: number;
}

/** Each case in a row. */
export function rowsOf(outcomes: readonly Outcome[]): Row[] {
  return cases.map(({ lives, backOff }) => {
    const ofCase = outcomes.filter((each) => each.lives === lives && each.backOff === backOff);
    const withWeeder = summary(ofCase.filter(({ helped }) => helped));
    const silent = ofCase.filter(({ reported }) => reported === 'terminated').length;
    return {
      lives,
      backOff,
      without: summary(ofCase.filter(({ helped }) => !helped)),
      withWeeder,
      silent: `${silent} of ${ofCase.length}`,
      isMet: withWeeder.median < goal.median && withWeeder.worst < goal.worst,
    };
  });
}

function summary(outcomes: readonly Outcome[]): Summary {
  const sorted = outcomes.map(({ seconds }) => seconds).sort((a, b) => a - b);
  const at = (index: number): number => sorted[index] ?? Number.NaN;
  const middle = (sorted.length - 1) / 2;
  return { median: (at(Math.floor(middle)) + at(Math.ceil(middle))) / 2, best: at(0), worst: at(sorted.length - 1) };
}

/** The table as Markdown, and how it came about. */
export function recoveryTable({ measured, kubelet, runtime, machine, runs, outcomes }: Results): string {
  const rows = rowsOf(outcomes).map(({ lives, backOff, without, withWeeder, silent }) => {
    const exits = lives === 0 ? 'at once' : `after ${lives} s`;
    return `| ${exits} | ${backOff} s | ${silent} | ${long(without)} | ${short(withWeeder.median)} | ${short(withWeeder.worst)} |`;
  });
  const times = `${runs} ${runs === 1 ? 'time' : 'times'}`;
  return [
    '| it exits | back-off | silent at that moment | without weeder | with weeder, median | at worst |',
    '| --- | --- | --- | --- | --- | --- |',
    ...rows,
    '',
    `Measured ${measured} with \`npm run bench:kubelet\`, each case ${times} with weeder and ${times} without, side by side: ` +
      `${kubelet}, ${runtime}, ${machine}. Counted from the moment at which an independent watcher sees the service's EndpointSlice ` +
      'turn ready to the moment at which it sees the dependant Ready; the service returns about 5 s into the back-off, ' +
      'and the dependants have no readiness probe, so that they are Ready as soon as they run.',
  ].join('\n');
}

/** Whether each case meets the goal, a line each. */
export function verdict(outcomes: readonly Outcome[]): { readonly isMet: boolean; readonly lines: readonly string[] } {
  const rows = rowsOf(outcomes);
  const lines = rows.map(({ lives, backOff, withWeeder, isMet }) => {
    const figures = `median ${short(withWeeder.median)} (< ${goal.median} s), worst ${short(withWeeder.worst)} (< ${goal.worst} s)`;
    return `${isMet ? 'met   ' : 'missed'}  lives ${lives} s, back-off ${backOff} s: ${figures}`;
  });
  return { isMet: rows.every(({ isMet }) => isMet), lines };
}

function short(seconds: number): string {
  return `${seconds.toFixed(2)} s`;
}

/** The median and, where they differ, the range. */
function long({ median, best, worst }: Summary): string {
  const [low, high] = [best.toFixed(0), worst.toFixed(0)];
  return `${median.toFixed(0)} s${low === high ? '' : ` (${low}–${high})`}`;
}
