import { judged, type Violation } from './invariants.ts';
import { invariants, type SoakResult } from './soak.ts';
import { timeOfDay } from './times.ts';

/** What a soak found, for a person, and how many of its invariants did not hold. */
export interface Report {
  readonly lines: readonly string[];
  readonly failed: number;
}

/** MiB. A process has its full size after some minutes: V8's young generation grows with what it has seen. */
const rssTolerance = ({ minutes }: SoakResult) => (minutes < 6 ? 24 : 12);
const heapTolerance = 4;
const memory = 'after the last third it takes no more memory than after the first';
const busy = 'the soak was one: there were deletions, and pods that were due';
const mostShown = 5;

export function report(result: SoakResult): Report {
  const { rests, deletions, delays } = result;
  const violations = [...result.violations];
  const fail = (invariant: string, what: string) =>
    void violations.push({ invariant, at: Date.now(), what, evidence: [] });
  for (const [what, tolerance] of [
    ['rss', rssTolerance(result)],
    ['heap', heapTolerance],
  ] as const) {
    const [first, last] = [rests[0]?.[what] ?? Number.NaN, rests.at(-1)?.[what] ?? Number.NaN];
    const grown = `${what}: ${first.toFixed(1)} MiB after the first, ${last.toFixed(1)} after the last, tolerance ${tolerance}`;
    if (!(last <= first + tolerance)) fail(memory, grown);
  }
  if (deletions < 20 || delays.length < 10) fail(busy, `${deletions} deletions, ${delays.length} of them due`);
  const all = [...Object.values(judged), ...Object.values(invariants), memory, busy];
  const failed = all.filter((name) => violations.some(({ invariant }) => invariant === name));
  return {
    failed: failed.length,
    lines: [
      '',
      ...summary(result),
      '',
      ...all.map((name) => `${failed.includes(name) ? 'FAILED' : 'passed'}  ${name}`),
      ...failed.flatMap((name) =>
        shown(
          name,
          violations.filter(({ invariant }) => invariant === name),
        ),
      ),
      '',
      `${all.length - failed.length} passed, ${failed.length} failed`,
    ],
  };
}

function summary({
  deeds,
  missed,
  reloads,
  windows,
  attempts,
  deletions,
  delays,
  faults,
  rests,
}: SoakResult): string[] {
  const sorted = delays.toSorted((one, other) => one - other);
  const percentile = (share: number) =>
    sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.NaN;
  const kinds = Map.groupBy(faults, ({ what }) => what);
  const played = [...kinds].map(([what, each]) => `${what} ${each.length}`).join(', ');
  return [
    `changes of the cluster   ${deeds}; ${missed} requests found the API server away, or nothing to change`,
    `reloads of the config    ${reloads}`,
    `windows opened           ${windows}`,
    `faults                   ${played === '' ? 'none' : played}`,
    `deletions                ${deletions} of ${attempts} tries`,
    `from due to deleted      p50 ${percentile(0.5)} ms, p99 ${percentile(0.99)} ms, at most ${percentile(1)} ms, of ${delays.length}`,
    `RSS at rest, by third    ${rests.map(({ rss }) => rss.toFixed(1)).join(', ')} MiB`,
    `heap at rest, by third   ${rests.map(({ heap }) => heap.toFixed(1)).join(', ')} MiB`,
  ];
}

function shown(name: string, violations: readonly Violation[]): string[] {
  const some = violations.slice(0, mostShown);
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
