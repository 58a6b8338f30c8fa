import { medianOf } from '../recovery/recoverySummary.ts';
import type { Results } from './results.ts';
import { figure, table } from './table.ts';

/**
 * What weeder needs, as Markdown: the table of docs/how-to/operations.md, which is the only place for these figures.
 * What was not measured has no row.
 */
export function sizingTable({ recovery, scale, observer }: Results): string {
  const recovered = recovery?.cases.filter(({ cores }) => cores === 'separate').at(-1);
  const observed = observer?.cases.at(-1);
  const pods = scale?.cases.filter(({ what }) => what === 'matching').at(-1);
  const rows: string[][] = [];
  if (recovered !== undefined) {
    const of = (what: Parameters<typeof medianOf>[2]) => medianOf(recovered, 'weeder', what);
    const services = grouped(recovered.namespaces);
    rows.push(
      [`idle, with ${services} namespaces`, mebibytes(of('idleRss')), `${figure(of('idleCpu'))} % of a core`],
      [
        `${services} services recover at once, with one pod each`,
        `${mebibytes(of('peakRss'))} at most`,
        `${figure(of('cpu'))} s for the deletions, ${figure(of('cpuAfter'))} s more for the Events after them`,
      ],
    );
  }
  if (pods !== undefined) {
    const micro = (per1000: number) => `${figure(per1000 * 1000)} µs`;
    rows.push([
      `${grouped(pods.pods)} pods that a podSelector selects`,
      mebibytes(pods.idleRss),
      `${micro(pods.cpuPer1000Healthy)} for each change of a healthy pod, ${micro(pods.cpuPer1000Crashing)} for that of a crash-looping one`,
    ]);
  }
  if (observed?.weeder !== undefined) {
    const { applications, resources, weeder } = observed;
    const what = `${grouped(resources)} resources of ${grouped(applications)} applications (observer alone)`;
    rows.push(
      [`idle, with ${what}`, mebibytes(weeder.again.rss), `${figure(weeder.idleCpu)} % of a core`],
      [
        'all of them drift at once',
        `${mebibytes(weeder.peakRss)} at most`,
        `${figure(weeder.all.cpu)} s for the corrections`,
      ],
    );
  }
  return table(['state', 'memory', 'CPU'], rows);
}

function mebibytes(value: number): string {
  return `${Math.round(value)} MiB`;
}

function grouped(count: number): string {
  return count.toLocaleString('en-US');
}
