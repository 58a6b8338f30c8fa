import { setTimeout as pause } from 'node:timers/promises';
import type { Patient } from './patient.ts';
import type { Rule } from './rules.ts';

/** What of weeder is there when nothing is left to do. */
export interface Rest {
  /** What is not back to its number, in words. */
  readonly faults: readonly string[];
  /** Resident memory. MiB; the median of some looks, each after a collection of garbage. */
  readonly rss: number;
  /** What of it is JavaScript's, and in use. MiB. */
  readonly heap: number;
}

const looks = 9;
const betweenLooks = 200;

/** Waits until weeder is at rest, for no longer than `within` milliseconds, and looks at it. */
export async function lookAtRest(patient: Patient, rules: readonly Rule[], within: number): Promise<Rest> {
  const deadline = Date.now() + within;
  let faults = await unrest(patient, rules);
  while (faults.length > 0 && Date.now() < deadline) {
    await pause(250);
    faults = await unrest(patient, rules);
  }
  const sizes: number[] = [];
  const heaps: number[] = [];
  for (let look = 0; look < looks; look += 1) {
    await patient.collect();
    await pause(betweenLooks);
    sizes.push(patient.rss());
    heaps.push((await patient.gauges())('nodejs_heap_size_used_bytes') / 2 ** 20);
  }
  return { faults, rss: median(sizes), heap: median(heaps) };
}

async function unrest(patient: Patient, rules: readonly Rule[]): Promise<string[]> {
  try {
    const gauge = await patient.gauges();
    const streams = 1 + new Set(rules.flatMap(({ selectors }) => selectors.map((each) => JSON.stringify(each)))).size;
    const wanted: readonly (readonly [string, number, number])[] = [
      ['open windows', gauge('weeder_windows_open'), 0],
      ['deletions that wait', gauge('weeder_deletion_queue_length'), 0],
      ['deletions in flight', gauge('weeder_deletions_in_flight'), 0],
      ['crash-looping pods', gauge('weeder_crash_looping_pods'), 0],
      ['endpoint actors', gauge('weeder_actors', { machine: 'endpoint' }), 0],
      ['dependants actors', gauge('weeder_actors', { machine: 'dependants' }), 0],
      ['podDeletion actors', gauge('weeder_actors', { machine: 'podDeletion' }), 0],
      ['reflector actors', gauge('weeder_actors', { machine: 'reflector' }), streams],
      ['streams', gauge('weeder_streams'), streams],
      ['streams that watch', gauge('weeder_streams', { state: 'watching' }), streams],
      ['parts that broke', gauge('weeder_actor_failures_total'), 0],
    ];
    return wanted.flatMap(([what, is, was]) => (is === was ? [] : [`${is} ${what} in place of ${was}`]));
  } catch (error) {
    return [`/metrics does not answer: ${String(error)}`];
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
