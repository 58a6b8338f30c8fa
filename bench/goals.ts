import type { ActorsCase } from './actorsResults.ts';
import type { RecoveryCase } from './recoveryResults.ts';
import { type Figure, medianOf, ratioOf } from './recoverySummary.ts';

/** Something that weeder wants to be, and what it is. */
export interface Goal {
  readonly what: string;
  readonly limit: number;
  readonly value: number;
  readonly unit: '' | '×' | 'MiB' | 'ms' | '%';
}

export function isMet({ value, limit }: Goal): boolean {
  return value <= limit;
}

const weeder = 'weeder';
/** EndpointSlices, and one of pods for each distinct podSelector, of which the benchmark has one. */
const mostStreams = 2;

/** The goals that these cases say something about. */
export function recoveryGoals(cases: readonly RecoveryCase[]): Goal[] {
  const measured = cases.filter(({ rounds }) => rounds[weeder] !== undefined);
  return [
    ...measured.filter(({ rounds }) => rounds['bare']).flatMap(speed),
    ...measured.flatMap(frugality),
    ...linearity(measured),
  ];
}

function speed(found: RecoveryCase): Goal[] {
  return (['p50', 'p99'] as const).map((figure) => ({
    what: `${figure} with ${counted(found)}, against the bare client`,
    limit: 1.2,
    value: ratioOf(found, weeder, figure),
    unit: '×',
  }));
}

function frugality(found: RecoveryCase): Goal[] {
  const { namespaces } = found;
  const goal = (what: string, figure: Figure, limit: number, unit: Goal['unit']): Goal => ({
    what: `${what} with ${counted(found)}`,
    limit,
    value: medianOf(found, weeder, figure),
    unit,
  });
  const streams = Math.max(...(found.rounds[weeder] ?? []).map((round) => round.streams ?? Number.NaN));
  const goals: Goal[] = [
    goal('memory at rest', 'idleRss', 90, 'MiB'),
    goal('CPU at rest', 'idleCpu', 0.5, '%'),
    goal('start to synced', 'startToSynced', 1000, 'ms'),
    { what: `streams with ${counted(found)}`, limit: mostStreams, value: streams, unit: '' },
  ];
  return namespaces < 1000 ? goals : [...goals, goal('memory after the recovery', 'afterRss', 150, 'MiB')];
}

function counted({ namespaces }: RecoveryCase): string {
  return namespaces === 1 ? '1 namespace' : `${namespaces} namespaces`;
}

/** Ten times the services may cost twelve times as long. */
export function actorsGoals(cases: readonly ActorsCase[]): Goal[] {
  return cases.flatMap((large) => {
    const small = cases.find((each) => each.services * 10 === large.services);
    if (small === undefined) return [];
    return (['open', 'pods', 'stop'] as const).map((figure) => ({
      what: `time to ${actorsWords[figure]} with ${large.services} services, against ${small.services}`,
      limit: 12,
      value: large[figure] / small[figure],
      unit: '×' as const,
    }));
  });
}

const actorsWords = { open: 'open all windows', pods: 'take in their pods', stop: 'stop' } as const;

/** Ten times the namespaces may cost twelve times the CPU; only those with as many pods in each are compared. */
function linearity(cases: readonly RecoveryCase[]): Goal[] {
  return cases.flatMap((large) => {
    const small = cases.find((each) => each.namespaces * 10 === large.namespaces && each.podsEach === large.podsEach);
    if (small === undefined) return [];
    const value = medianOf(large, weeder, 'cpu') / medianOf(small, weeder, 'cpu');
    return [
      { what: `CPU of ${large.namespaces} namespaces, against ${small.namespaces}`, limit: 12, value, unit: '×' },
    ];
  });
}
