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
  const rows = cases.map((each) => {
    const middle = (of: (round: HostileCase['rounds'][number]) => number) => figure(median(each.rounds.map(of)));
    return [
      String(each.namespaces),
      String(each.pods),
      String(each.hostile),
      middle(({ without }) => without.total),
      middle(({ withHostile }) => withHostile.total),
      figure(median(ratios(each))),
      ratios(each).map(figure).join(', '),
      middle(({ withHostile }) => withHostile.loopDelay),
      `${middle(({ without }) => without.cpu)} → ${middle(({ withHostile }) => withHostile.cpu)}`,
    ];
  });
  const requests = cases.map((each) => {
    const last = each.rounds.at(-1)?.withHostile.requests ?? {};
    const byCount = Object.entries(last).sort(([, one], [, other]) => other - one);
    return [
      String(each.hostile),
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

function goalsOf(found: HostileCase): Goal[] {
  return [
    {
      what: `recoveries with ${found.hostile} hostile applications`,
      limit: 2,
      value: median(ratios(found)),
      unit: '×',
    },
    {
      what: 'losses of the Lease',
      limit: 0,
      value: Math.max(...found.rounds.map(({ leaseLosses }) => leaseLosses)),
      unit: '',
    },
  ];
}
