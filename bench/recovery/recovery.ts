import { z } from 'zod';
import type { Cluster } from '../../test/cluster/support/plane/access.ts';
import { startControlPlane } from '../../test/cluster/support/plane/controlPlane.ts';
import { type Cores, coresModes, useCores } from '../support/cores.ts';
import { startObserving } from '../support/observing.ts';
import { buildScene, podLabels } from '../support/scene.ts';
import { type CandidateName, candidateNames } from './candidates.ts';
import { measureCell } from './recoveryCell.ts';
import type { RecoveryCase, RecoveryRound } from './recoveryResults.ts';

export interface RecoveryOptions {
  readonly namespaces: readonly number[];
  /** Default: both modes. */
  readonly cores?: readonly Cores[];
  readonly rounds: number;
  readonly idleMs: number;
  /** Default: all. */
  readonly candidates?: readonly CandidateName[];
  /** The folder in which CPU profiles are written. */
  readonly profile?: string | undefined;
  /** Receives the progress. */
  readonly log: (line: string) => void;
}

/** The number of crash-looping pods in each namespace, as in earlier measurements. */
function podsEachOf(namespaces: number): number {
  return namespaces === 50 || namespaces === 200 ? 2 : 1;
}

/** The number of recoveries: percentiles need many deletions, so fewer services recover more often. */
function recoveriesOf(namespaces: number): number {
  return Math.max(1, Math.min(20, Math.floor(100 / namespaces)));
}

/** Measures each number of namespaces on its own control plane. */
export async function measureRecovery(options: RecoveryOptions): Promise<RecoveryCase[]> {
  const cases: RecoveryCase[] = [];
  try {
    for (const cores of options.cores ?? coresModes) {
      useCores(cores);
      for (const namespaces of options.namespaces) cases.push(await measureCase(namespaces, cores, options));
    }
  } finally {
    useCores('shared');
  }
  return cases;
}

async function measureCase(namespaces: number, cores: Cores, options: RecoveryOptions): Promise<RecoveryCase> {
  const { log, candidates = candidateNames } = options;
  const [podsEach, recoveries] = [podsEachOf(namespaces), recoveriesOf(namespaces)];
  // Without controllers, only the benchmark itself creates and deletes pods.
  const cluster = await startControlPlane({ controllerManager: false });
  try {
    const scene = await buildScene(cluster, namespaces, podsEach);
    const observing = await startObserving(cluster, `role=${podLabels.role}`);
    const rounds: Record<string, RecoveryRound[]> = {};
    for (let round = 0; round < options.rounds; round += 1) {
      for (const candidate of rotated(candidates, round)) {
        const { idleMs, profile } = options;
        const cell = await measureCell({
          cluster,
          scene,
          observing,
          candidate,
          cores,
          recoveries,
          idleMs,
          profile,
          log,
        });
        rounds[candidate] = [...(rounds[candidate] ?? []), cell];
        log(
          `${cores} cores, ${namespaces} × ${podsEach}, round ${round + 1}, ${candidate}: p50 ${cell.p50} ms, p99 ${cell.p99} ms, CPU ${cell.cpu} s`,
        );
      }
    }
    observing.stop();
    const [podBytes, server] = [await scene.podBytes(), await versionOf(cluster)];
    return { cores, namespaces, podsEach, recoveries, podBytes, server, rounds };
  } finally {
    await cluster.stop();
  }
}

const Version = z.object({ gitVersion: z.string() });

async function versionOf(cluster: Cluster): Promise<string> {
  return Version.parse(await cluster.api('GET', '/version')).gitVersion;
}

/** Rotates the order in each round, so that changes in the load of the machine affect all candidates. */
function rotated<T>(items: readonly T[], by: number): T[] {
  const from = by % items.length;
  return [...items.slice(from), ...items.slice(0, from)];
}
