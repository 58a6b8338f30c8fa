import { type Goal, isMet, recoveryGoals } from '../support/goals.ts';
import { bytes, figure, table } from '../support/table.ts';
import { candidateNames } from './candidates.ts';
import type { RecoveryCase } from './recoveryResults.ts';
import { type Figure, medianOf, ratioOf } from './recoverySummary.ts';

/** The results of the recoveries, as Markdown. */
export function recoveryReport(cases: readonly RecoveryCase[]): string {
  return [speedTable(cases), costTable(cases), trafficTable(cases), goalTable(recoveryGoals(cases))].join('\n\n');
}

function candidatesOf({ rounds }: RecoveryCase): string[] {
  return candidateNames.filter((name) => rounds[name] !== undefined);
}

function rowsOf(
  cases: readonly RecoveryCase[],
  cells: (recoveryCase: RecoveryCase, name: string) => string[],
): string[][] {
  return cases.flatMap((recoveryCase) =>
    candidatesOf(recoveryCase).map((name) => [
      recoveryCase.cores,
      `${recoveryCase.namespaces} × ${recoveryCase.podsEach}`,
      name,
      ...cells(recoveryCase, name),
    ]),
  );
}

function speedTable(cases: readonly RecoveryCase[]): string {
  const times: readonly Figure[] = ['p50', 'p90', 'p99', 'max', 'total'];
  const cells = (recoveryCase: RecoveryCase, name: string): string[] => [
    ...times.map((each) => figure(medianOf(recoveryCase, name, each))),
    ...(['p50', 'p99'] as const).map((each) => figure(ratioOf(recoveryCase, name, each))),
  ];
  const head = [
    'cores',
    'namespaces × pods',
    'client',
    'p50 ms',
    'p90 ms',
    'p99 ms',
    'max ms',
    'total ms',
    'p50 ×',
    'p99 ×',
  ];
  return table(head, rowsOf(cases, cells));
}

function costTable(cases: readonly RecoveryCase[]): string {
  const figures: readonly Figure[] = ['startToSynced', 'idleRss', 'peakRss', 'afterRss', 'idleCpu', 'cpu', 'cpuAfter'];
  const cells = (recoveryCase: RecoveryCase, name: string): string[] => [
    ...figures.map((each) => figure(medianOf(recoveryCase, name, each))),
    figure(ratioOf(recoveryCase, name, 'cpu')),
  ];
  const head = [
    'cores',
    'namespaces × pods',
    'client',
    'synced ms',
    'idle MiB',
    'peak MiB',
    'after MiB',
    'idle CPU %',
    'CPU s',
    'CPU after s',
    'CPU ×',
  ];
  return table(head, rowsOf(cases, cells));
}

function trafficTable(cases: readonly RecoveryCase[]): string {
  const rows = rowsOf(cases, (recoveryCase, name) => {
    const last = recoveryCase.rounds[name]?.at(-1);
    const { requests = {}, bytes: received = {}, loopDelay, streams } = last ?? {};
    return [
      Object.entries(requests)
        .map(([what, count]) => `${count} ${what}`)
        .join(', '),
      Object.entries(received)
        .map(([resource, count]) => `${bytes(count)} ${resource}`)
        .join(', '),
      streams === undefined ? '' : String(streams),
      loopDelay === undefined ? '' : `${figure(loopDelay.p99)} / ${figure(loopDelay.max)}`,
    ];
  }).filter(([, , , requests]) => requests !== '');
  return table(
    ['cores', 'namespaces × pods', 'client', 'requests', 'received', 'streams', 'loop delay p99 / max ms'],
    rows,
  );
}

export function goalTable(goals: readonly Goal[]): string {
  const rows = goals.map((goal) => [
    goal.what,
    `≤ ${goal.limit} ${goal.unit}`.trim(),
    `${figure(goal.value)} ${goal.unit}`.trim(),
    isMet(goal) ? 'met' : 'missed',
  ]);
  return table(['goal', 'limit', 'measured', ''], rows);
}
