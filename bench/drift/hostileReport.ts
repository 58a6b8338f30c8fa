import { goalTable } from '../recovery/recoveryReport.ts';
import type { Goal } from '../support/goals.ts';
import { median } from '../support/statistics.ts';
import { figure, table } from '../support/table.ts';
import type { HostileCase } from './hostileResults.ts';

/** Recoveries with hostile applications, as Markdown. */
export function hostileReport(cases: readonly HostileCase[]): string {
  const head = [
    'services',
    'pods',
    'hostile',
    'without ms',
    'with ms',
    '×',
    'in each round',
    'loop delay max ms',
    'CPU s',
  ];
  const rows = cases.map((hostileCase) => {
    const middle = (of: (round: HostileCase['rounds'][number]) => number) => figure(median(hostileCase.rounds.map(of)));
    return [
      String(hostileCase.namespaces),
      String(hostileCase.pods),
      String(hostileCase.hostile),
      middle(({ without }) => without.total),
      middle(({ withHostile }) => withHostile.total),
      figure(median(ratios(hostileCase))),
      ratios(hostileCase).map(figure).join(', '),
      middle(({ withHostile }) => withHostile.loopDelay),
      `${middle(({ without }) => without.cpu)} → ${middle(({ withHostile }) => withHostile.cpu)}`,
    ];
  });
  const requests = cases.map((hostileCase) => {
    const last = hostileCase.rounds.at(-1)?.withHostile.requests ?? {};
    const byCount = Object.entries(last).sort(([, one], [, other]) => other - one);
    return [
      String(hostileCase.hostile),
      byCount
        .slice(0, 8)
        .map(([what, rate]) => `${rate} ${what}`)
        .join(', '),
    ];
  });
  return [
    table(head, rows),
    table(['hostile', 'requests a second of weeder in the last round'], requests),
    goalTable(cases.flatMap(goalsOf)),
  ].join('\n\n');
}

function ratios({ rounds }: HostileCase): number[] {
  return rounds.map(({ without, withHostile }) => withHostile.total / without.total);
}

function goalsOf(hostileCase: HostileCase): Goal[] {
  return [
    {
      what: `recoveries with ${hostileCase.hostile} hostile applications`,
      limit: 2,
      value: median(ratios(hostileCase)),
      unit: '×',
    },
    {
      what: 'losses of the Lease',
      limit: 0,
      value: Math.max(...hostileCase.rounds.map(({ leaseLosses }) => leaseLosses)),
      unit: '',
    },
  ];
}
