import { join } from 'node:path';
import type { Cluster } from '../../test/cluster/support/plane/access.ts';
import { type Cores, clientCore } from '../support/cores.ts';
import { bareProgram, type Program, startProgram, startWeederProgram, weederProgram } from '../support/programs.ts';
import { podLabels, service } from '../support/scene.ts';

/** The candidates: the bare client, weeder as released, and weeder without Events. */
export const candidateNames = ['bare', 'weeder', 'weeder --events=false'] as const;
export type CandidateName = (typeof candidateNames)[number];

/** A running candidate. */
export interface Candidate extends Program {
  /** The address of the metrics of weeder. Undefined for the bare client. */
  readonly metricsUrl: string | undefined;
}

interface CandidateOptions {
  readonly cores: Cores;
  /** The folder for its CPU profile. */
  readonly profile?: string | undefined;
}

/** Starts it in a separate process and waits until it is synced. */
export async function startCandidate(
  name: CandidateName,
  cluster: Cluster,
  { cores, profile }: CandidateOptions,
): Promise<Candidate> {
  const core = cores === 'separate' ? clientCore : undefined;
  const isProfiled = profile !== undefined;
  const nodeFlags = isProfiled ? ['--cpu-prof', `--cpu-prof-dir=${profile}`, '--cpu-prof-interval=200'] : [];
  if (name === 'bare') {
    const target = [cluster.url, join(cluster.dir, 'apiserver.crt'), service, `role=${podLabels.role}`];
    const words = [...nodeFlags, await bareProgram(isProfiled), ...target];
    const program = await startProgram(cluster.dir, words, 'synced', {
      env: { BENCH_TOKEN: cluster.tokenOf('admin') },
      core,
    });
    return { ...program, metricsUrl: undefined };
  }
  return startWeederProgram({
    program: await weederProgram(isProfiled),
    dir: cluster.dir,
    kubeconfig: cluster.kubeconfigFor('admin'),
    config: { servicesAndDependantSelectors: { [service]: { podSelectors: [{ matchLabels: podLabels }] } } },
    flags: name === 'weeder' ? [] : ['--events=false'],
    nodeFlags,
    core,
  });
}
