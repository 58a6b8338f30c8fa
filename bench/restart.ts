import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster } from '../test/cluster/support/access.ts';
import { startControlPlane } from '../test/cluster/support/controlPlane.ts';
import { cpuSeconds, memoryOf, monotonic } from './processFigures.ts';
import { type Program, startWeederProgram, weederProgram } from './programs.ts';
import type { RestartCase } from './restartResults.ts';
import { buildRestartScene, type RestartScene, type SceneSize, until } from './restartScene.ts';
import { median, rounded } from './statistics.ts';

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
    // Ten times the default, by which 500 would take four minutes.
    maxAdoptionsPerMinute: 1_200,
  },
};

/** Measures restart control beside so many workloads, with ten times as many ConfigMaps, and Secrets. */
export async function measureRestart(
  counts: readonly number[],
  idleMs: number,
  say: (line: string) => void,
): Promise<RestartCase[]> {
  const cases: RestartCase[] = [];
  for (const workloads of counts) {
    const size = { sources: workloads * 10, workloads, sharing: Math.round(workloads * 0.4) };
    cases.push(await measureCase(size, idleMs, say));
  }
  return cases;
}

async function measureCase(size: SceneSize, idleMs: number, say: (line: string) => void): Promise<RestartCase> {
  // Without controllers nothing but the benchmark itself replaces pods.
  const cluster = await startControlPlane({ controllerManager: false });
  // Node does not stay for a process that it waits for to end.
  const awake = setInterval(() => {}, 60_000);
  try {
    const program = await weederProgram();
    const start = () => startWeeder(cluster, program);
    const empty = await start();
    await pause(settleMs);
    const emptyRss = memoryOf(empty.pid).rss;
    await empty.end();
    const scene = await buildRestartScene(cluster, size);
    say(`${size.sources} ConfigMaps and as many Secrets, ${size.workloads} Deployments are there`);
    const first = await start();
    const atRest = await measureRest(first, scene, size, idleMs);
    say(
      `adopted after ${atRest.startToAdopted} ms, ${atRest.idleRss} MiB at rest, ${rounded(emptyRss)} MiB without them`,
    );
    const last = size.workloads - 1;
    const burstRollouts = await burst(scene, last);
    const releaseRollouts = (await release(scene, last - 1, true)) + (await release(scene, last - 2, false));
    await first.end();
    await scene.change(last - 3);
    const second = await start();
    await follow(scene, last - 3);
    await second.end();
    const third = await start();
    await pause(quietMs + settleMs);
    const downtimeRollouts = restartsOf(scene, last - 3).length;
    say(`rollouts: ${burstRollouts} for a burst, ${releaseRollouts} for releases, ${downtimeRollouts} for a downtime`);
    const shared = await changeShared(third, scene, size);
    const afterRss = rounded(memoryOf(third.pid).rss);
    say(`the last of ${shared.sharedRollouts} patches ${shared.lastPatch} ms after the quiet period`);
    await third.end();
    scene.stop();
    const rollouts = { burstRollouts, releaseRollouts, downtimeRollouts };
    return { ...size, emptyRss: rounded(emptyRss), ...atRest, ...rollouts, ...shared, afterRss };
  } finally {
    await cluster.stop();
    clearInterval(awake);
  }
}

function startWeeder(cluster: Cluster, program: string): Promise<Program> {
  const kubeconfig = cluster.kubeconfigFor('admin');
  return startWeederProgram({ program, dir: cluster.dir, kubeconfig, config, synced: restartSynced });
}

const restartSynced = 'all streams of restart control are synced';

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
  await scene.change(0);
  const quietAt = monotonic() + quietMs;
  await until('all that use it restart', () => scene.restarts.length >= before + sharing, patientMs);
  await pause(settleMs);
  const times = scene.restarts.slice(before).map(({ at }) => at - quietAt);
  return {
    firstPatch: rounded(Math.min(...times)),
    halfOfPatches: rounded(median(times)),
    lastPatch: rounded(Math.max(...times)),
    sharedRollouts: times.length,
    sharedCpu: rounded(cpuSeconds(pid) - cpuBefore, 3),
  };
}
