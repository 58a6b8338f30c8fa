import { judged, type Violation } from './invariants.ts';
import { invariants, type SoakResult } from './soak.ts';
import { timeOfDay } from './times.ts';

/**
 * MiB. A process reaches its full size after some minutes, because V8's young generation grows with its load: in soaks of
 * two minutes, the last third had between 12 MiB less and 39 MiB more than the first with the same heap. What such a soak
 * shows is in the heap.
 */
const rssTolerance = ({ minutes }: SoakResult) => (minutes < 6 ? 64 : 12);
const heapTolerance = 4;
const memory = 'memory does not grow from the first to the last third';
const busy = 'the soak had enough deletions, and enough pods that were due';
const maxShown = 5;

/** The result of a soak as text, and how many of its invariants failed. */
export function report(result: SoakResult) {
  const { idleStates, deletions, delays } = result;
  const violations = [...result.violations];
  const fail = (invariant: string, what: string) =>
    void violations.push({ invariant, at: Date.now(), what, evidence: [] });
  for (const [what, tolerance] of [
    ['rss', rssTolerance(result)],
    ['heap', heapTolerance],
  ] as const) {
    const [first, last] = [idleStates[0]?.[what] ?? Number.NaN, idleStates.at(-1)?.[what] ?? Number.NaN];
    const grown = `${what}: ${first.toFixed(1)} MiB after the first, ${last.toFixed(1)} after the last, tolerance ${tolerance}`;
    if (!(last <= first + tolerance)) fail(memory, grown);
  }
  if (deletions < 20 || delays.length < 10) fail(busy, `${deletions} deletions, ${delays.length} of them due`);
  const names = [...Object.values(judged), ...Object.values(invariants), memory, busy];
  const failed = names.filter((name) => violations.some(({ invariant }) => invariant === name));
  return {
    failed: failed.length,
    lines: [
      '',
      ...summary(result),
      '',
      ...names.map((name) => `${failed.includes(name) ? 'FAILED' : 'passed'}  ${name}`),
      ...failed.flatMap((name) =>
        shown(
          name,
          violations.filter(({ invariant }) => invariant === name),
        ),
      ),
      '',
      `${names.length - failed.length} passed, ${failed.length} failed`,
    ],
  };
}

function summary({
  changes,
  failedRequests,
  reloads,
  windows,
  attempts,
  deletions,
  delays,
  faults,
  idleStates,
}: SoakResult): string[] {
  const sorted = delays.toSorted((one, other) => one - other);
  const percentile = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
  const kinds = Map.groupBy(faults, ({ what }) => what);
  const played = [...kinds].map(([what, each]) => `${what} ${each.length}`).join(', ');
  return [
    `changes of the cluster   ${changes}; ${failedRequests} requests failed, or found no object`,
    `reloads of the config    ${reloads}`,
    `windows opened           ${windows}`,
    `faults                   ${played === '' ? 'none' : played}`,
    `deletions                ${deletions} of ${attempts} attempts`,
    `from due to deleted      p50 ${percentile(0.5)} ms, p99 ${percentile(0.99)} ms, at most ${percentile(1)} ms, of ${delays.length}`,
    `RSS at rest, by third    ${idleStates.map(({ rss }) => rss.toFixed(1)).join(', ')} MiB`,
    `heap at rest, by third   ${idleStates.map(({ heap }) => heap.toFixed(1)).join(', ')} MiB`,
  ];
}

function shown(name: string, violations: readonly Violation[]): string[] {
  const some = violations.slice(0, maxShown);
  const more = violations.length - some.length;
  return [
    '',
    `FAILED  ${name}`,
    ...some.flatMap(({ at, what, evidence }) => [
      `  ${timeOfDay(at)} ${what}`,
      ...evidence.map((line) => `      ${line}`),
    ]),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}
