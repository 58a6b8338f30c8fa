import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster } from '../test/cluster/support/access.ts';
import { bundled } from '../test/support/bundle.ts';
import { resourcesEach } from './driftManifests.ts';
import { type Scrape, scrape } from './metricsOf.ts';
import { monotonic } from './processFigures.ts';
import { asDeployed, startProgram, startWeederProgram, type WeederProgram, weederProgram } from './programs.ts';

const observedWithin = 300_000;

/** Whoever corrects, at work: it has observed everything once. */
export interface Corrector {
  readonly pid: number;
  /** From the start of the process until it had. Milliseconds. */
  readonly observed: number;
  /** What it says of itself; undefined for the bare script. */
  scrape(): Promise<Scrape | undefined>;
  end(): Promise<void>;
}

export interface CorrectorOptions {
  readonly cluster: Cluster;
  readonly applications: number;
  /** The folder in which CPU profiles are written. */
  readonly profile: string | undefined;
}

export type StartCorrector = (options: CorrectorOptions) => Promise<Corrector>;

export async function startBareObserver({ cluster, applications, profile }: CorrectorOptions): Promise<Corrector> {
  const sources = ['bareObserver', 'bareClient', 'driftManifests'].map((name) => `bench/${name}.ts`);
  const layout = profile === undefined ? 'dense' : 'readable';
  const script = await bundled(`bare-observer-${layout}`, 'bench/bareObserver.ts', sources, layout);
  const target = [cluster.url, join(cluster.dir, 'apiserver.crt'), String(applications)];
  const token = { BENCH_TOKEN: cluster.tokenOf('admin') };
  const program = await startProgram(cluster.dir, [...flagsFor(profile), script, ...target], 'synced', token);
  return { pid: program.pid, observed: program.startToSynced, scrape: async () => undefined, end: program.end };
}

/** As every deployment of the observer has it: the default flags, and the memory limit of its component. */
export async function startObserver({ cluster, applications, profile }: CorrectorOptions): Promise<Corrector> {
  const program = await startWeederProgram({
    program: await weederProgram(profile !== undefined),
    dir: cluster.dir,
    kubeconfig: cluster.kubeconfigFor('admin'),
    config: { observer: {} },
    env: asDeployed('components/observer-named/memory.yaml'),
    nodeFlags: flagsFor(profile),
    synced: 'the application observer starts',
  });
  const synced = monotonic();
  await untilObserved(program, applications * resourcesEach);
  const observed = program.startToSynced + (monotonic() - synced);
  return { pid: program.pid, observed, scrape: () => scrape(program.metricsUrl), end: program.end };
}

async function untilObserved(program: WeederProgram, resources: number): Promise<void> {
  const deadline = monotonic() + observedWithin;
  for (;;) {
    const answer = await fetch(`${program.actorsUrl}?machine=resource&state=inSync`);
    // Each actor is a line.
    const inSync = (await answer.text()).split('\n').length - 2;
    if (inSync >= resources) return;
    if (monotonic() > deadline) {
      const of = `${inSync} of ${resources} resources are in sync after ${observedWithin / 1000} s`;
      throw new Error(`${of}: ${program.story()}`);
    }
    await pause(250);
  }
}

function flagsFor(profile: string | undefined): readonly string[] {
  return profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-interval=500', `--cpu-prof-dir=${profile}`];
}
