import { goalTable } from '../recovery/recoveryReport.ts';
import { restartGoals } from '../support/goals.ts';
import { figure, table } from '../support/table.ts';
import type { RestartCase } from './restartResults.ts';

/** Restart control, as Markdown. */
export function restartReport(cases: readonly RestartCase[]): string {
  const named = (each: RestartCase) => `${each.sources} + ${each.sources}, ${each.workloads}`;
  const costHead = ['sources, workloads', 'synced ms', 'adopted ms', 'CPU s', 'empty MiB', 'rest MiB', 'peak MiB'];
  const costs = cases.map((each) => [
    named(each),
    figure(each.startToSynced),
    figure(each.startToAdopted),
    figure(each.cpuToAdopted),
    figure(each.emptyRss),
    figure(each.idleRss),
    figure(each.peakRss),
  ]);
  const sharedHead = ['sources, workloads', 'share one', 'first ms', 'half ms', 'last ms', 'CPU s', 'after MiB'];
  const shared = cases.map((each) => [
    named(each),
    String(each.sharedRollouts),
    figure(each.firstPatch),
    figure(each.halfOfPatches),
    figure(each.lastPatch),
    figure(each.sharedCpu),
    figure(each.afterRss),
  ]);
  return [table(costHead, costs), table(sharedHead, shared), peers, goalTable(restartGoals(cases))].join('\n\n');
}

/** Of Reloader v1.4.21 and wave b4e8d70, measured once on another day: docs/benchmarks.md says so. */
const peers = table(
  ['5000 + 5000, 500', 'after the start MiB', 'CPU s', 'rollouts of 500 adoptions', 'first / last of 200 patches ms'],
  [
    ['Reloader', '136', '2.3', '0', '30 / 38200 (its client takes 5 requests/s)'],
    ['wave', '221', '0.8', 'about 500, at one a second', '20 / 101000'],
    ['wave, limit lifted', '175', '1.3', '500', '10 / 1200'],
  ],
);
