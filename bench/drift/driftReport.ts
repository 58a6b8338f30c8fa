import { goalTable } from '../recovery/recoveryReport.ts';
import { figure, table } from '../support/table.ts';
import { driftGoals } from './driftGoals.ts';
import type { DriftCandidate, DriftCase, Drifts } from './driftResults.ts';

/** The results of the application observer, as Markdown. */
export function driftReport(cases: readonly DriftCase[]): string {
  const rows = cases.flatMap((driftCase) =>
    candidatesOf(driftCase).map(([name, candidate]) => ({ driftCase, name, candidate })),
  );
  const timeHead = ['applications', 'drifts', 'client', 'p50 ms', 'p90 ms', 'p99 ms', 'max ms', 'total ms', 'CPU s'];
  const times = cases.flatMap((driftCase) =>
    phases.flatMap(({ title, of }) =>
      candidatesOf(driftCase).map(([name, candidate]) =>
        timeRow(driftCase, `${of(candidate).count} ${title}`, name, of(candidate)),
      ),
    ),
  );
  const costHead = [
    'applications',
    'client',
    'applied ms',
    'CPU s',
    'MiB',
    'next start ms',
    'CPU s',
    'MiB',
    'idle CPU %',
    'idle requests/s',
    'after MiB',
    'peak MiB',
  ];
  const costs = rows.map(({ driftCase, name, candidate }) => {
    const { first, again, idleCpu, idleRequests, afterRss, peakRss } = candidate;
    const starts = [first, again].flatMap(({ observed, cpu, rss }) => [observed, cpu, rss]);
    const figures = [...starts, idleCpu, idleRequests ?? Number.NaN, afterRss, Math.max(peakRss, first.peak)];
    return [String(driftCase.applications), name, ...figures.map(figure)];
  });
  const requestHead = ['applications', 'when', 'requests of weeder'];
  const requests = rows.flatMap(({ driftCase, candidate }) => {
    const counts: readonly (readonly [string, Readonly<Record<string, number>> | undefined])[] = [
      ['until all is applied and observed', candidate.first.requests],
      ['until all is observed at the next start', candidate.again.requests],
      ...phases.map(({ title, of }) => [`${of(candidate).count} drifts ${title}`, of(candidate).requests] as const),
    ];
    return counts.flatMap(([when, sent]) =>
      sent === undefined ? [] : [[String(driftCase.applications), when, requestList(sent)]],
    );
  });
  const tables = [table(timeHead, times), table(costHead, costs)];
  if (requests.length > 0) tables.push(table(requestHead, requests));
  const goals = driftGoals(cases);
  if (goals.length > 0) tables.push(goalTable(goals));
  return tables.join('\n\n');
}

const phases = [
  { title: 'one at a time', of: ({ single }: DriftCandidate) => single },
  { title: 'at once', of: ({ many }: DriftCandidate) => many },
  { title: 'at once', of: ({ all }: DriftCandidate) => all },
];

function candidatesOf({ bare, weeder }: DriftCase): [string, DriftCandidate][] {
  const named: [string, DriftCandidate | undefined][] = [
    ['bare', bare],
    ['weeder', weeder],
  ];
  return named.flatMap(([name, candidate]) => (candidate === undefined ? [] : [[name, candidate]]));
}

function timeRow({ applications }: DriftCase, drifts: string, name: string, figures: Drifts): string[] {
  const { p50, p90, p99, max, total, cpu } = figures;
  return [String(applications), drifts, name, ...[p50, p90, p99, max, total, cpu].map(figure)];
}

/** Requests as text, the most frequent ones first. */
function requestList(requests: Readonly<Record<string, number>>): string {
  return Object.entries(requests)
    .sort(([, a], [, b]) => b - a)
    .map(([what, count]) => `${count} ${what}`)
    .join(', ');
}
