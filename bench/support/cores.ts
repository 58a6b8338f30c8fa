import { spawnSync } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { SetupProblem } from '../../test/cluster/support/plane/process.ts';

/**
 * Whether the API server and the measured client share all cores, or have one each, as in production, where they never
 * share one.
 */
export const coresModes = ['separate', 'shared'] as const;
export type Cores = (typeof coresModes)[number];

/** The core of the measured client, with separate cores. */
export const clientCore = 1;
const serverCore = 0;

/** Runs this process, and all that it starts from now on, on the core of the API server, or on all cores. */
export function useCores(cores: Cores): void {
  const list = cores === 'separate' ? String(serverCore) : `0-${availableCores - 1}`;
  if (cores === 'separate' && availableCores <= clientCore)
    throw new SetupProblem('Separate cores need a machine with two cores: use --cores shared.');
  const { status, stderr } = spawnSync('taskset', ['-a', '-p', '-c', list, String(process.pid)], { encoding: 'utf8' });
  if (status !== 0) throw new SetupProblem(`taskset of util-linux cannot set the cores: ${stderr ?? 'not found'}`);
}

/** Read before this process is bound to a core. */
const availableCores = availableParallelism();
