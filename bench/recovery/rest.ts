import { setTimeout as pause } from 'node:timers/promises';
import { inParallel } from '../../src/base/promises.ts';
import { startControlPlane } from '../../test/cluster/support/plane/controlPlane.ts';
import { difference, scrape } from '../support/metricsOf.ts';
import { cpuSeconds, memoryOf } from '../support/processFigures.ts';
import { startWeederProgram, weederProgram } from '../support/programs.ts';
import { service } from '../support/scene.ts';
import { rounded } from '../support/statistics.ts';
import type { RestCase } from './restResults.ts';

const settleMs = 30_000;
const config = {
  servicesAndDependantSelectors: { [service]: { podSelectors: [{ matchLabels: { app: 'web' } }] } },
  restartControl: { rules: [{}] },
};

export interface RestOptions {
  /** The numbers of watched namespaces, each with its own streams. */
  readonly watched: readonly number[];
  /** How long the idle process is measured. Milliseconds. */
  readonly restMs: number;
  readonly log: (line: string) => void;
}

/** Measures the weeder and restart control at rest, with streams for each of these empty namespaces. */
export async function measureRest({ watched, restMs, log }: RestOptions): Promise<RestCase[]> {
  const cases: RestCase[] = [];
  for (const namespaces of watched) {
    const restCase = await measureCase(namespaces, restMs);
    log(`${namespaces} watched namespaces: ${JSON.stringify(restCase)}`);
    cases.push(restCase);
  }
  return cases;
}

async function measureCase(namespaces: number, restMs: number): Promise<RestCase> {
  const cluster = await startControlPlane({ controllerManager: false });
  // A pending exit of a child process does not keep Node running.
  const keepAlive = setInterval(() => {}, 60_000);
  try {
    const names = Array.from({ length: namespaces }, (_, index) => `shop-${index}`);
    await inParallel(names, 16, async (name) => {
      await cluster.api('POST', '/api/v1/namespaces', { metadata: { name } });
    });
    const weeder = await startWeederProgram({
      program: await weederProgram(),
      dir: cluster.dir,
      kubeconfig: cluster.kubeconfigFor('admin'),
      config,
      flags: [`--namespaces=${names.join(',')}`],
    });
    await pause(settleMs);
    const before = { ...(await scrape(weeder.metricsUrl)), cpu: cpuSeconds(weeder.pid), server: serverCpu() };
    await pause(restMs);
    const cpu = cpuSeconds(weeder.pid) - before.cpu;
    const server = serverCpu() - before.server;
    const { rss } = memoryOf(weeder.pid);
    const after = await scrape(weeder.metricsUrl);
    await weeder.kill();
    const perSecond = 1_000 / restMs;
    const requests = Object.values(difference(after.requests, before.requests)).reduce((sum, each) => sum + each, 0);
    return {
      namespaces,
      streams: after.streams,
      requestsPerMinute: rounded(60 * perSecond * requests),
      cpu: rounded(cpu * perSecond, 4),
      serverCpu: rounded(server * perSecond, 4),
      startToSynced: rounded(weeder.startToSynced),
      rss: rounded(rss),
    };
  } finally {
    await cluster.stop();
    clearInterval(keepAlive);
  }

  function serverCpu(): number {
    return cpuSeconds(cluster.apiServerPid());
  }
}
