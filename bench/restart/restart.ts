import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster } from '../../test/cluster/support/plane/access.ts';
import { startControlPlane } from '../../test/cluster/support/plane/controlPlane.ts';
import { cpuSeconds, memoryOf, monotonic } from '../support/processFigures.ts';
import { asDeployed, type Program, startWeederProgram, weederProgram } from '../support/programs.ts';
import { profileOf, selfTimes, topOf } from '../support/selfTimes.ts';
import { median, rounded } from '../support/statistics.ts';
import type { RestartCase } from './restartResults.ts';
import { buildRestartScene, type RestartScene, type SceneSize, until } from './restartScene.ts';

const quietMs = 5_000;
const settleMs = 3_000;
const patientMs = 180_000;
/** How long a rollout of the benchmark's own takes: as an image that has to be pulled, and more than a second. */
const rolloutMs = 2_500;
/** As no workload may wait for another: what is measured is weeder, not its limits. */
const config = {
  restartControl: {
    rules: [{}],
    quietPeriod: `${quietMs / 1000}s`,
    maxRestartsPerMinute: 100_000,
    burst: 10_000,
    maxConcurrentRollouts: 10_000,
  },
};
/** So many are adopted in a second: ten times the default or more, by which 500 would take four minutes. */
const adoptedEachSecond = 20;
const adoptionSeconds = 25;

export interface RestartOptions {
  /** How many workloads, with ten times as many ConfigMaps, and Secrets. */
  readonly workloads: readonly number[];
  readonly idleMs: number;
  /** The folder in which CPU profiles are written; where the time goes is told. */
  readonly profile?: string | undefined;
  readonly say: (line: string) => void;
}

/** Measures restart control beside each number of workloads. */
export async function measureRestart({ workloads: counts, ...options }: RestartOptions): Promise<RestartCase[]> {
  const cases: RestartCase[] = [];
  for (const workloads of counts) {
    const size = { sources: workloads * 10, workloads, sharing: Math.round(workloads * 0.4) };
    cases.push(await measureCase(size, options));
  }
  return cases;
}

async function measureCase(
  size: SceneSize,
  { idleMs, profile, say }: Omit<RestartOptions, 'workloads'>,
): Promise<RestartCase> {
  // Without controllers nothing but the benchmark itself replaces pods.
  const cluster = await startControlPlane({ controllerManager: false });
  // Node does not stay for a process that it waits for to end.
  const awake = setInterval(() => {}, 60_000);
  try {
    const program = await weederProgram(profile !== undefined);
    const start = () => startWeeder(cluster, program, size, profile);
    const empty = await start();
    await pause(settleMs);
    const emptyRss = memoryOf(empty.pid).rss;
    await empty.end();
    const scene = await buildRestartScene(cluster, size);
    say(`${size.sources} ConfigMaps and as many Secrets, ${size.workloads} Deployments are there`);
    const first = await start();
    const startedAt = monotonic() - first.startToSynced;
    const atRest = await measureRest(first, scene, size, idleMs);
    const restAt = monotonic();
    say(
      `adopted after ${atRest.startToAdopted} ms, ${atRest.idleRss} MiB at rest, ${rounded(emptyRss)} MiB without them`,
    );
    const last = size.workloads - 1;
    const burstRollouts = await burst(scene, last);
    const releases = await Promise.all([release(scene, last - 1, true), release(scene, last - 2, false)]);
    const releaseRollouts = releases.reduce((sum, each) => sum + each);
    await first.end();
    const tell = ({ pid }: Program, what: string, from: number, to: number): void => {
      if (profile !== undefined) say(`${what}:\n${topOf(selfTimes(profileOf(profile, pid), from, to), 40)}`);
    };
    tell(first, 'from the start until all are adopted and at rest', startedAt, restAt);
    await scene.change(last - 3);
    const second = await start();
    await follow(scene, last - 3);
    await second.end();
    const third = await start();
    await pause(quietMs + settleMs);
    const downtimeRollouts = restartsOf(scene, last - 3).length;
    say(`rollouts: ${burstRollouts} for a burst, ${releaseRollouts} for releases, ${downtimeRollouts} for a downtime`);
    const { changedAt, quietAt, lastAt, ...shared } = await changeShared(third, scene, size);
    const afterRss = rounded(memoryOf(third.pid).rss);
    say(`the last of ${shared.sharedRollouts} patches ${shared.lastPatch} ms after the quiet period`);
    await third.end();
    tell(third, 'from the change that many share to the end of the quiet period', changedAt, quietAt);
    tell(third, 'from there to the last patch', quietAt, lastAt);
    scene.stop();
    const rollouts = { burstRollouts, releaseRollouts, downtimeRollouts };
    return { ...size, emptyRss: rounded(emptyRss), ...atRest, ...rollouts, ...shared, afterRss };
  } finally {
    await cluster.stop();
    clearInterval(awake);
  }
}

function startWeeder(
  cluster: Cluster,
  program: string,
  { workloads }: SceneSize,
  profile: string | undefined,
): Promise<Program> {
  const perSecond = Math.max(adoptedEachSecond, Math.ceil(workloads / adoptionSeconds));
  const restartControl = { ...config.restartControl, maxAdoptionsPerMinute: 60 * perSecond };
  return startWeederProgram({
    program,
    dir: cluster.dir,
    kubeconfig: cluster.kubeconfigFor('admin'),
    config: { restartControl },
    synced: restartSynced,
    env: asDeployed(),
    nodeFlags: profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-interval=500', `--cpu-prof-dir=${profile}`],
  });
}

const restartSynced = 'caches synced, starting restart control';

async function measureRest({ pid, startToSynced }: Program, scene: RestartScene, size: SceneSize, idleMs: number) {
  const from = monotonic() - startToSynced;
  await until('every workload is adopted', () => scene.counts().adopted >= size.workloads, patientMs);
  const [startToAdopted, cpuToAdopted] = [monotonic() - from, cpuSeconds(pid)];
  await pause(settleMs);
  const idleFrom = { at: monotonic(), cpu: cpuSeconds(pid) };
  await pause(idleMs);
  const idleCpu = (100 * (cpuSeconds(pid) - idleFrom.cpu)) / ((monotonic() - idleFrom.at) / 1000);
  const { rss, peak } = memoryOf(pid);
  return {
    startToSynced: rounded(startToSynced),
    startToAdopted: rounded(startToAdopted),
    cpuToAdopted: rounded(cpuToAdopted, 3),
    idleRss: rounded(rss),
    peakRss: rounded(peak),
    idleCpu: rounded(idleCpu, 3),
    adoptionRollouts: scene.restarts.length,
  };
}

function restartsOf({ restarts }: RestartScene, workload: number): readonly unknown[] {
  return restarts.filter(({ name }) => name === `web-${workload}`);
}

/** Ten changes in a second. */
async function burst(scene: RestartScene, workload: number): Promise<number> {
  for (let change = 0; change < 10; change += 1) {
    await scene.change(workload);
    await pause(100);
  }
  await follow(scene, workload);
  return restartsOf(scene, workload).length;
}

/** Waits for the restart, does what it asks for, and waits for a second one, which there must not be. */
async function follow(scene: RestartScene, workload: number): Promise<void> {
  await until(`web-${workload} restarts`, () => restartsOf(scene, workload).length > 0, patientMs);
  await pause(rolloutMs);
  await scene.turnOver(workload);
  await until('the rollout is recorded', () => scene.counts().rolling === 0, patientMs);
  await pause(quietMs + settleMs);
}

async function release(scene: RestartScene, workload: number, isSourceFirst: boolean): Promise<number> {
  const acts = [scene.change, scene.release];
  for (const act of isSourceFirst ? acts : acts.toReversed()) {
    await act(workload);
    await pause(50);
  }
  await pause(rolloutMs);
  await scene.turnOver(workload);
  await pause(2 * quietMs + settleMs);
  return restartsOf(scene, workload).length;
}

/** The moments are those at which the watch of the benchmark tells of the patches. */
async function changeShared({ pid }: Program, scene: RestartScene, { sharing }: SceneSize) {
  const before = scene.restarts.length;
  const cpuBefore = cpuSeconds(pid);
  const changedAt = monotonic();
  await scene.change(0);
  const quietAt = monotonic() + quietMs;
  await until('all that use it restart', () => scene.restarts.length >= before + sharing, patientMs);
  await pause(settleMs);
  const times = scene.restarts.slice(before).map(({ at }) => at - quietAt);
  return {
    changedAt,
    quietAt,
    lastAt: quietAt + Math.max(...times),
    firstPatch: rounded(Math.min(...times)),
    halfOfPatches: rounded(median(times)),
    lastPatch: rounded(Math.max(...times)),
    sharedRollouts: times.length,
    sharedCpu: rounded(cpuSeconds(pid) - cpuBefore, 3),
  };
}
