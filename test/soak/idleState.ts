import { setTimeout as pause } from 'node:timers/promises';
import type { Rule } from './rules.ts';
import type { WeederUnderTest } from './weederUnderTest.ts';

/** The state of weeder when it has nothing to do. */
export type IdleState = Awaited<ReturnType<typeof measureAtRest>>;

const sampleCount = 9;
const sampleInterval = 200;

/** Waits until weeder is idle, for at most `within` milliseconds, and measures it. */
export async function measureAtRest(weeder: WeederUnderTest, rules: readonly Rule[], within: number) {
  const deadline = Date.now() + within;
  let deviations = await deviationsOf(weeder, rules);
  while (deviations.length > 0 && Date.now() < deadline) {
    await pause(250);
    deviations = await deviationsOf(weeder, rules);
  }
  const sizes: number[] = [];
  const heaps: number[] = [];
  for (let sample = 0; sample < sampleCount; sample += 1) {
    await weeder.collect();
    await pause(sampleInterval);
    sizes.push(weeder.rss());
    heaps.push((await weeder.gauges())('nodejs_heap_size_used_bytes') / 2 ** 20);
  }
  return {
    /** The metrics that differ from their expected value, as text. */
    deviations,
    /** Resident memory: the median of several samples, each after a garbage collection. MiB. */
    rss: median(sizes),
    /** The used JavaScript heap. MiB. */
    heap: median(heaps),
  };
}

async function deviationsOf(weeder: WeederUnderTest, rules: readonly Rule[]): Promise<string[]> {
  try {
    const gauge = await weeder.gauges();
    const streams = 1 + new Set(rules.flatMap(({ selectors }) => selectors.map((each) => JSON.stringify(each)))).size;
    const expected: readonly (readonly [string, number, number])[] = [
      ['open windows', gauge('weeder_windows_open'), 0],
      ['queued deletions', gauge('weeder_deletion_queue_length'), 0],
      ['deletions in flight', gauge('weeder_deletions_in_flight'), 0],
      ['crash-looping pods', gauge('weeder_crash_looping_pods'), 0],
      ['endpoint actors', gauge('weeder_actors', { machine: 'endpoint' }), 0],
      ['dependants actors', gauge('weeder_actors', { machine: 'dependants' }), 0],
      ['podDeletion actors', gauge('weeder_actors', { machine: 'pod_deletion' }), 0],
      ['reflector actors', gauge('weeder_actors', { machine: 'reflector' }), streams],
      ['streams', gauge('weeder_streams'), streams],
      ['watching streams', gauge('weeder_streams', { state: 'watching' }), streams],
      ['failed actors', gauge('weeder_actor_failures_total'), 0],
    ];
    return expected.flatMap(([what, actual, value]) =>
      actual === value ? [] : [`${actual} ${what}, expected ${value}`],
    );
  } catch (error) {
    return [`/metrics does not respond: ${String(error)}`];
  }
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((one, other) => one - other);
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN;
}
