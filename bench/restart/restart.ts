import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster } from '../../test/cluster/support/plane/access.ts';
import { startControlPlane } from '../../test/cluster/support/plane/controlPlane.ts';
import { cpuSeconds, memoryOf, monotonic } from '../support/processFigures.ts';
import { type Program, startWeederProgram, weederProgram } from '../support/programs.ts';
import { profileOf, selfTimes, topOf } from '../support/selfTimes.ts';
import { median, rounded } from '../support/statistics.ts';
import type { RestartCase } from './restartResults.ts';
import { buildRestartScene, type RestartScene, type SceneSize, waitUntil } from './restartScene.ts';

const quietMs = 5_000;
const settleMs = 3_000;
const timeoutMs = 180_000;
/** The duration of a rollout by the benchmark, as if an image had to be pulled. Milliseconds. */
const rolloutMs = 2_500;
/** Limits high enough that no workload waits for another: the benchmark does not measure the limits. */
const config = {
  restartControl: {
    rules: [{}],
    quietPeriod: `${quietMs / 1000}s`,
    maxRestartsPerMinute: 100_000,
    burst: 10_000,
    maxConcurrentRollouts: 10_000,
  },
};
/** Adoptions in a second: ten times the default or more, with which 500 would take four minutes. */
const adoptedEachSecond = 20;
const adoptionSeconds = 25;

export interface RestartOptions {
  /** The numbers of workloads, with ten times as many ConfigMaps and Secrets. */
  readonly workloads: readonly number[];
  readonly idleMs: number;
  /** The folder for CPU profiles, whose times are printed. */
  readonly profile?: string | undefined;
  readonly log: (line: string) => void;
}

/** Measures restart control with each number of workloads. */
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
  { idleMs, profile, log }: Omit<RestartOptions, 'workloads'>,
): Promise<RestartCase> {
  // Without controllers, only the benchmark itself replaces pods.
  const cluster = await startControlPlane({ controllerManager: false });
  // A pending exit of a child process does not keep Node running.
  const keepAlive = setInterval(() => {}, 60_000);
  try {
    const program = await weederProgram(profile !== undefined);
    const start = () => startWeeder(cluster, program, size, profile);
    const empty = await start();
    await pause(settleMs);
    const emptyRss = memoryOf(empty.pid).rss;
    await empty.end();
    const scene = await buildRestartScene(cluster, size);
    log(`${size.sources} ConfigMaps and as many Secrets, ${size.workloads} Deployments are there`);
    const first = await start();
    const startedAt = monotonic() - first.startToSynced;
    const atRest = await measureRest(first, scene, size, idleMs);
    const restAt = monotonic();
    log(
      `adopted after ${atRest.startToAdopted} ms, ${atRest.idleRss} MiB at rest, ${rounded(emptyRss)} MiB without them`,
    );
    const last = size.workloads - 1;
    const burstRollouts = await burst(scene, last);
    const releases = await Promise.all([release(scene, last - 1, true), release(scene, last - 2, false)]);
    const releaseRollouts = releases.reduce((sum, each) => sum + each);
    await first.end();
    const printProfile = ({ pid }: Program, what: string, from: number, to: number): void => {
      if (profile !== undefined) log(`${what}:\n${topOf(selfTimes(profileOf(profile, pid), from, to), 40)}`);
    };
    printProfile(first, 'from the start until all are adopted and at rest', startedAt, restAt);
    await scene.change(last - 3);
    const second = await start();
    await follow(scene, last - 3);
    await second.end();
    const third = await start();
    await pause(quietMs + settleMs);
    const downtimeRollouts = restartsOf(scene, last - 3).length;
    log(`rollouts: ${burstRollouts} for a burst, ${releaseRollouts} for releases, ${downtimeRollouts} for a downtime`);
    const { changedAt, quietAt, lastAt, ...shared } = await changeShared(third, scene, size);
    const afterRss = rounded(memoryOf(third.pid).rss);
    log(`the last of ${shared.sharedRollouts} patches ${shared.lastPatch} ms after the quiet period`);
    await third.end();
    printProfile(third, 'from the change that many share to the end of the quiet period', changedAt, quietAt);
    printProfile(third, 'from there to the last patch', quietAt, lastAt);
    scene.stop();
    const rollouts = { burstRollouts, releaseRollouts, downtimeRollouts };
    return { ...size, emptyRss: rounded(emptyRss), ...atRest, ...rollouts, ...shared, afterRss };
  } finally {
    await cluster.stop();
    clearInterval(keepAlive);
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
    nodeFlags: profile === undefined ? [] : ['--cpu-prof', '--cpu-prof-interval=500', `--cpu-prof-dir=${profile}`],
  });
}

const restartSynced = 'caches synced, starting restart control';

async function measureRest({ pid, startToSynced }: Program, scene: RestartScene, size: SceneSize, idleMs: number) {
  const from = monotonic() - startToSynced;
  await waitUntil('every workload is adopted', () => scene.counts().adopted >= size.workloads, timeoutMs);
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

/** Makes ten changes in a second. */
async function burst(scene: RestartScene, workload: number): Promise<number> {
  for (let change = 0; change < 10; change += 1) {
    await scene.change(workload);
    await pause(100);
  }
  await follow(scene, workload);
  return restartsOf(scene, workload).length;
}

/** Waits for the restart, replaces the pod, and waits long enough to detect a second restart. */
async function follow(scene: RestartScene, workload: number): Promise<void> {
  await waitUntil(`web-${workload} restarts`, () => restartsOf(scene, workload).length > 0, timeoutMs);
  await pause(rolloutMs);
  await scene.replacePod(workload);
  await waitUntil('the rollout is recorded', () => scene.counts().rolling === 0, timeoutMs);
  await pause(quietMs + settleMs);
}

async function release(scene: RestartScene, workload: number, isSourceFirst: boolean): Promise<number> {
  const acts = [scene.change, scene.release];
  for (const act of isSourceFirst ? acts : acts.toReversed()) {
    await act(workload);
    await pause(50);
  }
  await pause(rolloutMs);
  await scene.replacePod(workload);
  await pause(2 * quietMs + settleMs);
  return restartsOf(scene, workload).length;
}

/** The times are those at which the watch of the benchmark reports the patches. */
async function changeShared({ pid }: Program, scene: RestartScene, { sharing }: SceneSize) {
  const before = scene.restarts.length;
  const cpuBefore = cpuSeconds(pid);
  const changedAt = monotonic();
  await scene.change(0);
  const quietAt = monotonic() + quietMs;
  await waitUntil('all that use it restart', () => scene.restarts.length >= before + sharing, timeoutMs);
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
