import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster } from '../../test/cluster/support/plane/access.ts';
import { bundled } from '../../test/support/bundle.ts';
import { type Scrape, scrape } from '../support/metricsOf.ts';
import { monotonic } from '../support/processFigures.ts';
import { invocation, startProgram, startWeederProgram, type WeederProgram } from '../support/programs.ts';
import { resourcesEach } from './driftManifests.ts';

const observedTimeout = 300_000;

/** A running candidate that observes everything. */
export interface Corrector {
  readonly pid: number;
  /** The time from the start of the process until then. Milliseconds. */
  readonly observed: number;
  /** Reads its metrics. Undefined for the bare script. */
  scrape(): Promise<Scrape | undefined>;
  end(): Promise<void>;
}

export interface CorrectorOptions {
  readonly cluster: Cluster;
  readonly applications: number;
  /** The resources of each application. Default: `resourcesEach`. */
  readonly resources?: number;
  /**
   * How the process is run: by the component of deploy/ and the image, as `npx weeder`, or from sources. Default:
   * deployed.
   */
  readonly as?: 'deployed' | 'npx' | 'npm start';
  /** The folder in which CPU profiles are written. */
  readonly profile: string | undefined;
}

export type StartCorrector = (options: CorrectorOptions) => Promise<Corrector>;

export async function startBareObserver(options: CorrectorOptions): Promise<Corrector> {
  const { cluster, applications, resources = resourcesEach, profile } = options;
  const sources = ['drift/bareObserver', 'drift/driftManifests', 'recovery/bareClient'].map(
    (name) => `bench/${name}.ts`,
  );
  const layout = profile === undefined ? 'dense' : 'readable';
  const script = await bundled(`bare-observer-${layout}`, 'bench/drift/bareObserver.ts', sources, layout);
  const target = [cluster.url, join(cluster.dir, 'apiserver.crt'), String(applications), String(resources)];
  const token = { BENCH_TOKEN: cluster.tokenOf('admin') };
  const program = await startProgram(cluster.dir, [...flagsFor(profile), script, ...target], 'synced', { env: token });
  return { pid: program.pid, observed: program.startToSynced, scrape: async () => undefined, end: program.end };
}

/** With the default flags of weeder. */
export async function startObserver(options: CorrectorOptions): Promise<Corrector> {
  const { cluster, applications, resources = resourcesEach, as = 'deployed', profile } = options;
  const how = await invocation(as, profile !== undefined);
  const program = await startWeederProgram({
    program: how.program,
    invocation: how,
    dir: cluster.dir,
    kubeconfig: cluster.kubeconfigFor('admin'),
    config: { observer: {} },
    nodeFlags: flagsFor(profile),
    synced: 'the application observer starts',
  });
  const synced = monotonic();
  await untilObserved(program, applications * resources);
  const observed = program.startToSynced + (monotonic() - synced);
  return { pid: program.pid, observed, scrape: () => scrape(program.metricsUrl), end: program.end };
}

/** A scrape costs the process a millisecond, so there is a pause between two. */
async function untilObserved(program: WeederProgram, resources: number): Promise<void> {
  const deadline = monotonic() + observedTimeout;
  for (;;) {
    const { inSync } = await scrape(program.metricsUrl);
    if (inSync >= resources) return;
    if (monotonic() > deadline) {
      const of = `${inSync} of ${resources} resources are in sync after ${observedTimeout / 1000} s`;
      throw new Error(`${of}: ${program.describe()}`);
    }
    await pause(100);
  }
}

function flagsFor(profile: string | undefined): readonly string[] {
  return profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-interval=500', `--cpu-prof-dir=${profile}`];
}
