import { goalTable } from '../recovery/recoveryReport.ts';
import type { Goal } from '../support/goals.ts';
import { median } from '../support/statistics.ts';
import { figure, table } from '../support/table.ts';
import type { Pair, Rest, Round, ThousandCase } from './thousandResults.ts';

const phases = ['first', 'next', 'drifts'] as const;
type Phase = (typeof phases)[number];

const titles = {
  first: 'first start, until all in sync',
  next: 'next start, until all in sync',
  drifts: 'drifts at once, until all corrected',
} as const;

/** The results for a thousand resources, as Markdown. */
export function thousandReport(cases: readonly ThousandCase[]): string {
  const timeHead = [
    'applications × resources',
    'what',
    'bare ms',
    'weeder ms',
    '×',
    'in each round',
    'bare CPU s',
    'weeder CPU s',
  ];
  const times = cases.flatMap((each) => phases.map((phase) => timeRow(each, phase)));
  const restHead = ['applications × resources', 'run as', 'after the first start MiB', 'next start MiB', 'drifts MiB'];
  const rests = cases.flatMap((each) => each.rests.map((rest) => restRow(each, rest)));
  const requestHead = ['applications × resources', 'when', 'requests of weeder'];
  const requests = cases.flatMap((each) =>
    phases.map((phase) => [shapeOf(each), titles[phase], requestList(each.requests[phase])]),
  );
  return [
    table(timeHead, times),
    table(restHead, rests),
    table(requestHead, requests),
    goalTable(cases.flatMap(goalsOf)),
  ].join('\n\n');
}

/** The goals are for the median of the starts, and for the worst round of the drifts. */
function goalsOf(thousandCase: ThousandCase): Goal[] {
  const within = `in ${thousandCase.applications} applications`;
  const max = (values: readonly (number | undefined)[]) =>
    Math.max(...values.map((value) => value ?? Number.NEGATIVE_INFINITY));
  return [
    {
      what: `${titles.first}, relative to bare, ${within}`,
      limit: 2,
      value: median(ratios(thousandCase, 'first')),
      unit: '×',
    },
    {
      what: `${titles.next}, relative to bare, ${within}`,
      limit: 2,
      value: median(ratios(thousandCase, 'next')),
      unit: '×',
    },
    {
      what: `${thousandCase.drifting} drifts at once, relative to bare, worst of ${thousandCase.rounds.length} rounds, ${within}`,
      limit: 1.5,
      value: max(ratios(thousandCase, 'drifts')),
      unit: '×',
    },
    ...thousandCase.rests.map(
      ({ as, afterFirst, afterNext, afterDrifts }): Goal => ({
        what: `memory at rest, run as ${as}, ${within}`,
        limit: 150,
        value: max([afterFirst, afterNext, afterDrifts]),
        unit: 'MiB',
      }),
    ),
  ];
}

function ratios({ rounds }: ThousandCase, phase: Phase): number[] {
  return rounds.map((round) => ratioOf(round[phase]));
}

function ratioOf({ bare, weeder }: Pair): number {
  return weeder.ms / bare.ms;
}

function timeRow(thousandCase: ThousandCase, phase: Phase): string[] {
  const middle = (of: (round: Round) => number) => figure(median(thousandCase.rounds.map(of)));
  return [
    shapeOf(thousandCase),
    phase === 'drifts' ? `${thousandCase.drifting} ${titles.drifts}` : titles[phase],
    middle((round) => round[phase].bare.ms),
    middle((round) => round[phase].weeder.ms),
    figure(median(ratios(thousandCase, phase))),
    ratios(thousandCase, phase).map(figure).join(', '),
    middle((round) => round[phase].bare.cpu),
    middle((round) => round[phase].weeder.cpu),
  ];
}

function restRow(thousandCase: ThousandCase, { as, afterFirst, afterNext, afterDrifts }: Rest): string[] {
  return [shapeOf(thousandCase), as, ...[afterFirst, afterNext, afterDrifts].map((each) => figure(each ?? Number.NaN))];
}

function shapeOf({ applications, resources }: ThousandCase): string {
  return `${applications} × ${resources}`;
}

/** Requests as text, the most frequent ones first. */
function requestList(requests: Readonly<Record<string, number>>): string {
  return Object.entries(requests)
    .sort(([, a], [, b]) => b - a)
    .map(([what, count]) => `${count} ${what}`)
    .join(', ');
}
