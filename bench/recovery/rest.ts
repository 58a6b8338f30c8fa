import { setTimeout as pause } from 'node:timers/promises';
import { inParallel } from '../../src/base/promises.ts';
import { startControlPlane } from '../../test/cluster/support/plane/controlPlane.ts';
import { difference, scrape } from '../support/metricsOf.ts';
import { cpuSeconds, memoryOf } from '../support/processFigures.ts';
import { asDeployed, asInImage, startWeederProgram, weederProgram } from '../support/programs.ts';
import { service } from '../support/scene.ts';
import { rounded } from '../support/statistics.ts';
import type { RestCase } from './restResults.ts';

const settleMs = 30_000;
const config = {
  servicesAndDependantSelectors: { [service]: { podSelectors: [{ matchLabels: { app: 'web' } }] } },
  restartControl: { rules: [{}] },
};

export interface RestOptions {
  /** How many namespaces are watched, each by streams of its own. */
  readonly watched: readonly number[];
  /** For how long the process at rest is looked at. */
  readonly restMs: number;
  readonly say: (line: string) => void;
}

/** The cost of waiting: the weeder and restart control, told to watch so many empty namespaces, one by one. */
export async function measureRest({ watched, restMs, say }: RestOptions): Promise<RestCase[]> {
  const cases: RestCase[] = [];
  for (const namespaces of watched) {
    const found = await measureCase(namespaces, restMs);
    say(`${namespaces} watched namespaces: ${JSON.stringify(found)}`);
    cases.push(found);
  }
  return cases;
}

async function measureCase(namespaces: number, restMs: number): Promise<RestCase> {
  const cluster = await startControlPlane({ controllerManager: false });
  // Node does not stay for a process that it waits for to end.
  const awake = setInterval(() => {}, 60_000);
  try {
    const names = Array.from({ length: namespaces }, (_, index) => `shop-${index}`);
    await inParallel(names, 16, async (name) => {
      await cluster.api('POST', '/api/v1/namespaces', { metadata: { name } });
    });
    const image = asInImage();
    const weeder = await startWeederProgram({
      program: await weederProgram(),
      dir: cluster.dir,
      kubeconfig: cluster.kubeconfigFor('admin'),
      config,
      invocation: { ...image, env: { ...image.env, ...asDeployed() } },
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
    clearInterval(awake);
  }

  function serverCpu(): number {
    return cpuSeconds(cluster.apiServerPid());
  }
}
