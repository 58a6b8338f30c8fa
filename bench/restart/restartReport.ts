import { goalTable } from '../recovery/recoveryReport.ts';
import { restartGoals } from '../support/goals.ts';
import { figure, table } from '../support/table.ts';
import type { RestartCase } from './restartResults.ts';

/** The results of restart control, as Markdown. */
export function restartReport(cases: readonly RestartCase[]): string {
  const named = (each: RestartCase) => `${each.sources} + ${each.sources}, ${each.workloads}`;
  const costHead = ['sources, workloads', 'synced ms', 'adopted ms', 'CPU s', 'empty MiB', 'idle MiB', 'peak MiB'];
  const costs = cases.map((restartCase) => [
    named(restartCase),
    figure(restartCase.startToSynced),
    figure(restartCase.startToAdopted),
    figure(restartCase.cpuToAdopted),
    figure(restartCase.emptyRss),
    figure(restartCase.idleRss),
    figure(restartCase.peakRss),
  ]);
  const sharedHead = [
    'sources, workloads',
    'rollouts',
    'first patch ms',
    'half ms',
    'last patch ms',
    'CPU s',
    'after MiB',
  ];
  const shared = cases.map((restartCase) => [
    named(restartCase),
    String(restartCase.sharedRollouts),
    figure(restartCase.firstPatch),
    figure(restartCase.halfOfPatches),
    figure(restartCase.lastPatch),
    figure(restartCase.sharedCpu),
    figure(restartCase.afterRss),
  ]);
  return [table(costHead, costs), table(sharedHead, shared), peers, goalTable(restartGoals(cases))].join('\n\n');
}

/** Figures of Reloader v1.4.21 and wave b4e8d70, measured once on another day. */
const peers = table(
  ['5000 + 5000, 500', 'MiB after the start', 'CPU s', 'rollouts at 500 adoptions', 'first / last of 200 patches ms'],
  [
    ['Reloader', '136', '2.3', '0', '30 / 38200 (its client takes 5 requests/s)'],
    ['wave', '221', '0.8', 'about 500, one a second', '20 / 101000'],
    ['wave, limit lifted', '175', '1.3', '500', '10 / 1200'],
  ],
);
