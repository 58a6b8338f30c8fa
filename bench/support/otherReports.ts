import type { CreationCase } from '../creation/creationResults.ts';
import type { ActorsCase } from '../recovery/actorsResults.ts';
import type { HerdCase } from '../recovery/herdResults.ts';
import { goalTable } from '../recovery/recoveryReport.ts';
import type { RestCase } from '../recovery/restResults.ts';
import type { ScaleCase } from '../recovery/scaleResults.ts';
import type { StartCase } from '../recovery/startResults.ts';
import { actorsGoals, restGoals, scaleGoals } from './goals.ts';
import { bytes, figure, table } from './table.ts';

/** Many dependants of one service, as Markdown. */
export function herdReport(cases: readonly HerdCase[]): string {
  const rows = cases.map(({ pods, pace, total, mostInOneSecond }) => [
    String(pods),
    pace === undefined ? 'none' : `${pace.pods} pods per ${pace.per}`,
    figure(total),
    String(mostInOneSecond),
  ]);
  return table(['pods', 'pace', 'all deleted ms', 'most in one second'], rows);
}

/** Creations of pods that a webhook refused, as Markdown. */
export function creationReport(cases: readonly CreationCase[]): string {
  const rows = cases.map(({ kind, objects, weeder, outage, median, last, cpu, peak }) => [
    kind,
    String(objects),
    String(outage),
    weeder ? 'with' : 'without',
    figure(median),
    figure(last),
    cpu === undefined ? '' : figure(cpu),
    peak === undefined ? '' : figure(peak),
  ]);
  const head = ['kind', 'objects', 'outage s', 'weeder', 'median s', 'last s', 'CPU s', 'peak MiB'];
  return table(head, rows);
}

/** Many pods, as Markdown. */
export function scaleReport(cases: readonly ScaleCase[]): string {
  const head = ['pods', 'kind', 'synced ms', 'CPU s', 'received', 'idle MiB', 'peak MiB', 'after MiB'];
  const rows = cases.map((scaleCase) => [
    String(scaleCase.pods),
    scaleCase.what,
    figure(scaleCase.startToSynced),
    figure(scaleCase.cpuToSynced),
    bytes(scaleCase.bytesToSynced),
    figure(scaleCase.idleRss),
    figure(scaleCase.peakRss),
    figure(scaleCase.afterRss),
  ]);
  const eventsHead = ['pods', 'kind', 'healthy: CPU ms', 'received', 'crash-looping: CPU ms', 'received'];
  const events = cases.map((scaleCase) => [
    String(scaleCase.pods),
    scaleCase.what,
    figure(1000 * scaleCase.cpuPer1000Healthy),
    bytes(scaleCase.bytesPer1000Healthy),
    figure(1000 * scaleCase.cpuPer1000Crashing),
    bytes(scaleCase.bytesPer1000Crashing),
  ]);
  const goals = scaleGoals(cases);
  const tables = [table(head, rows), 'For 1,000 events:', table(eventsHead, events)];
  return [...tables, ...(goals.length === 0 ? [] : [goalTable(goals)])].join('\n\n');
}

/** Many services at once, as Markdown. */
export function actorsReport(cases: readonly ActorsCase[]): string {
  const head = ['services', 'windows', 'pods', 'timers', 'open ms', 'pods ms', 'one more ms', 'stop ms'];
  const rows = cases.map((actorsCase) => [
    String(actorsCase.services),
    String(actorsCase.windows),
    String(actorsCase.podDeletions),
    String(actorsCase.timers),
    figure(actorsCase.open),
    figure(actorsCase.pods),
    actorsCase.oneMore.toFixed(3),
    figure(actorsCase.stop),
  ]);
  const heapHead = ['services', 'windows MiB', 'pods MiB', 'remaining after the stop MiB'];
  const heap = cases.map((actorsCase) => [
    String(actorsCase.services),
    figure(actorsCase.windowsHeap),
    figure(actorsCase.podsHeap),
    figure(actorsCase.leftHeap),
  ]);
  const { actors, events, inspectionEvents } = cases[0]?.recovery ?? { actors: 0, events: 0, inspectionEvents: 0 };
  const counts = `One recovery of a service with two podSelectors and one pod: ${actors} actors, ${events} events, ${inspectionEvents} inspection events.`;
  return [table(head, rows), table(heapHead, heap), counts, goalTable(actorsGoals(cases))].join('\n\n');
}

/** Idle costs, as Markdown. */
export function restReport(cases: readonly RestCase[]): string {
  const head = ['namespaces', 'streams', 'requests a minute', 'CPU m', 'kube-apiserver m', 'synced ms', 'MiB'];
  const rows = cases.map((restCase) => [
    String(restCase.namespaces),
    String(restCase.streams),
    figure(restCase.requestsPerMinute),
    figure(1000 * restCase.cpu),
    figure(1000 * restCase.serverCpu),
    figure(restCase.startToSynced),
    figure(restCase.rss),
  ]);
  return [table(head, rows), goalTable(restGoals(cases))].join('\n\n');
}

/** The cost of loaded code, as Markdown. */
export function startReport(cases: readonly StartCase[]): string {
  const rows = cases.map(({ what, ms, rss }) => [what, figure(ms), figure(rss)]);
  return table(['what', 'ms', 'MiB'], rows);
}
