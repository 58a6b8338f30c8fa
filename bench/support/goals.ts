import type { ActorsCase } from '../recovery/actorsResults.ts';
import type { RecoveryCase } from '../recovery/recoveryResults.ts';
import { type Figure, medianOf, ratioOf } from '../recovery/recoverySummary.ts';
import type { RestCase } from '../recovery/restResults.ts';
import type { ScaleCase } from '../recovery/scaleResults.ts';
import type { RestartCase } from '../restart/restartResults.ts';

/** A limit for a figure, and its measured value. */
export interface Goal {
  readonly what: string;
  readonly limit: number;
  readonly value: number;
  readonly unit: '' | '×' | 'MiB' | 'ms' | '%' | 'm';
}

export function isMet({ value, limit }: Goal): boolean {
  return value <= limit;
}

const weeder = 'weeder';
/** The stream of EndpointSlices, and one of pods for each distinct podSelector: the benchmark has one. */
const maxStreams = 2;

/** Many podSelectors, relative to one that selects all pods, in the same run. */
export function scaleGoals(cases: readonly ScaleCase[]): Goal[] {
  return cases.flatMap((scaleCase) => {
    const one = cases.find(({ pods, what }) => pods === scaleCase.pods && what === 'matching');
    if (scaleCase.what !== 'matching one of many' || one === undefined) return [];
    const words = `with ${scaleCase.pods} pods and ${scaleCase.many} podSelectors`;
    const more = `${words}, relative to one`;
    const memory = scaleCase.idleRss - one.idleRss;
    return [
      { what: `time to synced ${more}`, limit: 1.5, value: scaleCase.startToSynced / one.startToSynced, unit: '×' },
      { what: `memory at rest ${words}, above that with one`, limit: 60, value: memory, unit: 'MiB' },
      {
        what: `CPU for 1,000 crash-looping pods ${words}`,
        limit: 150,
        value: 1000 * scaleCase.cpuPer1000Crashing,
        unit: 'ms',
      },
    ] as const;
  });
}

/** The goals that apply to these cases. */
export function recoveryGoals(cases: readonly RecoveryCase[]): Goal[] {
  const measured = cases.filter(({ rounds }) => rounds[weeder] !== undefined);
  return [
    ...measured.filter(({ rounds }) => rounds['bare']).flatMap((found) => [...speed(found), ...cpu(found)]),
    ...measured.flatMap(resourceGoals),
    ...linearity(measured),
  ];
}

function speed(recoveryCase: RecoveryCase): Goal[] {
  return (['p50', 'p99'] as const).map((figure) => ({
    what: `${figure} with ${counted(recoveryCase)}, relative to the bare client`,
    limit: recoveryCase.cores === 'separate' ? 1.2 : 1.5,
    value: ratioOf(recoveryCase, weeder, figure),
    unit: '×' as const,
  }));
}

/** The CPU time of a mass recovery, which is hardly more than noise for few namespaces. */
function cpu(recoveryCase: RecoveryCase): Goal[] {
  if (recoveryCase.namespaces < 50) return [];
  const value = ratioOf(recoveryCase, weeder, 'cpu');
  return [{ what: `CPU time with ${counted(recoveryCase)}, relative to the bare client`, limit: 2, value, unit: '×' }];
}

function resourceGoals(recoveryCase: RecoveryCase): Goal[] {
  const { namespaces } = recoveryCase;
  const goal = (what: string, figure: Figure, limit: number, unit: Goal['unit']): Goal => ({
    what: `${what} with ${counted(recoveryCase)}`,
    limit,
    value: medianOf(recoveryCase, weeder, figure),
    unit,
  });
  const streams = Math.max(...(recoveryCase.rounds[weeder] ?? []).map((round) => round.streams ?? Number.NaN));
  const goals: Goal[] = [
    goal('memory at rest', 'idleRss', 90, 'MiB'),
    goal('CPU at rest', 'idleCpu', 0.5, '%'),
    goal('start to synced', 'startToSynced', 1000, 'ms'),
    { what: `streams with ${counted(recoveryCase)}`, limit: maxStreams, value: streams, unit: '' },
  ];
  return namespaces < 1000 ? goals : [...goals, goal('memory after the recovery', 'afterRss', 150, 'MiB')];
}

function counted({ namespaces, cores }: RecoveryCase): string {
  return `${namespaces === 1 ? '1 namespace' : `${namespaces} namespaces`} on ${cores} cores`;
}

/** Ten times as many services may take up to twelve times as long. */
export function actorsGoals(cases: readonly ActorsCase[]): Goal[] {
  return cases.flatMap((large) => {
    const small = cases.find((each) => each.services * 10 === large.services);
    if (small === undefined) return [];
    return (['open', 'pods', 'stop'] as const).map((figure) => ({
      what: `time to ${actorsWords[figure]} with ${large.services} services, relative to ${small.services}`,
      limit: 12,
      value: large[figure] / small[figure],
      unit: '×' as const,
    }));
  });
}

const actorsWords = { open: 'open all windows', pods: 'handle their pods', stop: 'stop' } as const;

/** weeder is idle most of the time. Millicores. */
export function restGoals(cases: readonly RestCase[]): Goal[] {
  return cases.map(({ namespaces, cpu }) => ({
    what: `CPU at rest with ${namespaces} watched namespaces`,
    limit: 10,
    value: 1000 * cpu,
    unit: 'm',
  }));
}

/** Ten times as many namespaces may use up to twelve times the CPU, if each has the same number of pods. */
function linearity(cases: readonly RecoveryCase[]): Goal[] {
  return cases.flatMap((large) => {
    const isTenth = (each: RecoveryCase) => each.namespaces * 10 === large.namespaces && each.cores === large.cores;
    const small = cases.find((each) => isTenth(each) && each.podsEach === large.podsEach);
    // The CPU time of ten namespaces is hardly more than noise.
    if (small === undefined || small.namespaces < 100) return [];
    const value = medianOf(large, weeder, 'cpu') / medianOf(small, weeder, 'cpu');
    return [{ what: `CPU with ${counted(large)}, relative to ${small.namespaces}`, limit: 12, value, unit: '×' }];
  });
}

/** Four times as many objects may cost up to five times as much. */
export function restartGoals(cases: readonly RestartCase[]): Goal[] {
  return [...cases.flatMap(restartGoalsOf), ...restartLinearity(cases)];
}

function restartGoalsOf(restartCase: RestartCase): Goal[] {
  const withAll = `with ${restartCase.workloads} workloads`;
  const goal = (what: string, limit: number, value: number, unit: Goal['unit'] = ''): Goal => ({
    what: `${what} ${withAll}`,
    limit,
    value,
    unit,
  });
  const memory = goal(
    'memory at rest above that on an empty cluster',
    60,
    restartCase.idleRss - restartCase.emptyRss,
    'MiB',
  );
  return [
    ...(restartCase.workloads > 500 ? [] : [memory]),
    goal('rollouts at adoption', 0, restartCase.adoptionRollouts),
    goal('rollouts for ten changes in a second', 1, restartCase.burstRollouts),
    goal('additional rollouts for two releases', 0, restartCase.releaseRollouts),
    goal('rollouts for a change while weeder was down', 1, restartCase.downtimeRollouts),
    goal('rollouts of each workload that shares a ConfigMap', 1, restartCase.sharedRollouts / restartCase.sharing),
    ...(restartCase.workloads > 500
      ? []
      : [goal('last patch after the quiet period', 1500, restartCase.lastPatch, 'ms')]),
    goal('CPU at rest', 0.5, restartCase.idleCpu, '%'),
  ];
}

function restartLinearity(cases: readonly RestartCase[]): Goal[] {
  return cases.flatMap((large) => {
    const small = cases.find((each) => each.workloads * 4 === large.workloads);
    if (small === undefined) return [];
    const words = `with ${large.workloads} workloads, relative to ${small.workloads}`;
    const above = ({ idleRss, emptyRss }: RestartCase): number => idleRss - emptyRss;
    return [
      {
        what: `CPU until all workloads are adopted ${words}`,
        limit: 5,
        value: large.cpuToAdopted / small.cpuToAdopted,
        unit: '×',
      },
      {
        what: `memory above that on an empty cluster ${words}`,
        limit: 5,
        value: above(large) / above(small),
        unit: '×',
      },
      {
        what: `last patch after the quiet period ${words}`,
        limit: 5,
        value: large.lastPatch / small.lastPatch,
        unit: '×',
      },
      { what: `CPU of the shared change ${words}`, limit: 5, value: large.sharedCpu / small.sharedCpu, unit: '×' },
    ];
  });
}
