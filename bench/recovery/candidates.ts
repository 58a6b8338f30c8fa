import { join } from 'node:path';
import type { Cluster } from '../../test/cluster/support/plane/access.ts';
import { bareProgram, type Program, startProgram, startWeederProgram, weederProgram } from '../support/programs.ts';
import { podLabels, service } from '../support/scene.ts';

/** Who is measured: weeder as it is shipped, weeder without Events, and the client that can do nothing else. */
export const candidateNames = ['bare', 'weeder', 'weeder --events=false'] as const;
export type CandidateName = (typeof candidateNames)[number];

/** A candidate at work. */
export interface Candidate extends Program {
  /** What weeder says on /metrics; undefined for the bare client. */
  readonly metricsUrl: string | undefined;
}

/** Starts it in a process of its own and waits until it has the complete state; `profile`: a folder for its profile. */
export async function startCandidate(name: CandidateName, cluster: Cluster, profile?: string): Promise<Candidate> {
  const isProfiled = profile !== undefined;
  const nodeFlags = isProfiled ? ['--cpu-prof', `--cpu-prof-dir=${profile}`, '--cpu-prof-interval=200'] : [];
  if (name === 'bare') {
    const target = [cluster.url, join(cluster.dir, 'apiserver.crt'), service, `role=${podLabels.role}`];
    const words = [...nodeFlags, await bareProgram(isProfiled), ...target];
    const program = await startProgram(cluster.dir, words, 'synced', { BENCH_TOKEN: cluster.tokenOf('admin') });
    return { ...program, metricsUrl: undefined };
  }
  return startWeederProgram({
    program: await weederProgram(isProfiled),
    dir: cluster.dir,
    kubeconfig: cluster.kubeconfigFor('admin'),
    config: { servicesAndDependantSelectors: { [service]: { podSelectors: [{ matchLabels: podLabels }] } } },
    flags: name === 'weeder' ? [] : ['--events=false'],
    nodeFlags,
  });
}
