import { setTimeout as pause } from 'node:timers/promises';
import { type ControlPlane, startControlPlane } from '../../test/cluster/support/plane/controlPlane.ts';
import { difference } from '../support/metricsOf.ts';
import { cpuSeconds, memoryOf } from '../support/processFigures.ts';
import { rounded } from '../support/statistics.ts';
import { manifestsOf } from './driftManifests.ts';
import { type Corrector, type CorrectorOptions, startBareObserver, startObserver } from './driftPrograms.ts';
import { createApplications, createNamespaces, driftTogether } from './driftScene.ts';
import { type DriftWatching, startDriftWatching } from './driftWatching.ts';
import type { Rest, Round, ThousandCase } from './thousandResults.ts';

/** How many of the thousand resources drift at once. */
const drifting = 800;
const thousand = 1000;
const settleMs = 3_000;
const documents = ['/openapi/v3', '/openapi/v3/api/v1', '/openapi/v3/apis/apps/v1'];

export interface ThousandOptions {
  /** The numbers of applications that have the thousand resources. */
  readonly applications: readonly number[];
  readonly rounds: number;
  /** The time after which a process counts as idle. Milliseconds. */
  readonly restMs: number;
  readonly profile: string | undefined;
  readonly log: (line: string) => void;
}

/**
 * Measures the cost of a thousand resources, compared with a bare script that does the same work at a start: it reads
 * the lists, and applies each resource once. The two take turns in each phase, so that both run under the same load.
 */
export async function measureThousand({ applications: counts, ...options }: ThousandOptions): Promise<ThousandCase[]> {
  const cases: ThousandCase[] = [];
  for (const applications of counts) {
    const resources = thousand / applications;
    const rounds: Round[] = [];
    let last: Awaited<ReturnType<typeof measureRound>> | undefined;
    for (let round = 1; round <= options.rounds; round += 1) {
      last = await measureRound({ ...options, applications, resources, isLast: round === options.rounds });
      rounds.push(last.round);
    }
    if (last === undefined) continue;
    cases.push({ applications, resources, drifting, rounds, rests: last.rests, requests: last.requests });
  }
  return cases;
}

interface RoundOptions extends Omit<ThousandOptions, 'applications' | 'rounds'> {
  readonly applications: number;
  readonly resources: number;
  readonly isLast: boolean;
}

interface Side {
  readonly cluster: ControlPlane;
  readonly watching: DriftWatching;
  start(as?: CorrectorOptions['as']): Promise<Corrector>;
}

async function measureRound({ applications, resources, isLast, restMs, profile, log }: RoundOptions) {
  // A pending exit of a child process does not keep Node running.
  const keepAlive = setInterval(() => {}, 60_000);
  const sides: Side[] = [];
  const side = async (start: typeof startObserver): Promise<Side> => {
    const cluster = await startControlPlane({ controllerManager: false });
    const watching = { stop: () => {}, untilCorrected: () => Promise.reject(new Error('not watching yet')) };
    const created: Side = {
      cluster,
      watching,
      start: (as = 'deployed') => start({ cluster, applications, resources, as, profile }),
    };
    sides.push(created);
    await createNamespaces(cluster, applications);
    if (start === startObserver) await createApplications(cluster, applications, resources);
    // A new API server builds these documents at the first request, which no candidate should pay for.
    for (const path of documents) await cluster.api('GET', path);
    return Object.assign(created, { watching: await startDriftWatching(cluster) });
  };

  try {
    const bare = await side(startBareObserver);
    const weeder = await side(startObserver);
    const first = await bothStart(bare, weeder);
    await pause(settleMs);
    const afterFirst = isLast ? await memoryAtRest(first.weeder, restMs) : undefined;
    const firstRequests = await requestsOf(first.weeder);
    await Promise.all([first.bare.end(), first.weeder.end()]);
    const next = await bothStart(bare, weeder);
    const afterNext = await memoryAtRest(next.weeder, isLast ? restMs : settleMs);
    const nextRequests = await requestsOf(next.weeder);
    const drifts = {
      bare: await driftsOf(bare, next.bare, resources, applications),
      weeder: await driftsOf(weeder, next.weeder, resources, applications),
    };
    const afterDrifts = await memoryAtRest(next.weeder, isLast ? restMs : settleMs);
    const requests = {
      first: firstRequests,
      next: nextRequests,
      drifts: difference(await requestsOf(next.weeder), nextRequests),
    };
    await Promise.all([next.bare.end(), next.weeder.end()]);
    const rests: Rest[] = [
      { as: 'deployed', ...(afterFirst === undefined ? {} : { afterFirst }), afterNext, afterDrifts },
    ];
    for (const as of isLast ? (['npx', 'npm start'] as const) : []) {
      const corrector = await weeder.start(as);
      rests.push({ as, afterNext: await memoryAtRest(corrector, restMs) });
      await corrector.end();
    }
    const round: Round = { first: first.pair, next: next.pair, drifts };
    log(`${applications} applications of ${resources}: ${JSON.stringify({ ...round, rests })}`);
    return { round, rests, requests };
  } finally {
    for (const { watching } of sides) watching.stop();
    await Promise.all(sides.map(({ cluster }) => cluster.stop()));
    clearInterval(keepAlive);
  }
}

/** Starts one after the other, and waits until each observes everything. */
async function bothStart(bareSide: Side, weederSide: Side) {
  const bare = await bareSide.start();
  const bareCpu = cpuSeconds(bare.pid);
  const weeder = await weederSide.start();
  const weederCpu = cpuSeconds(weeder.pid);
  const pair = { bare: costOf(bare.observed, bareCpu), weeder: costOf(weeder.observed, weederCpu) };
  return { bare, weeder, pair };
}

async function driftsOf({ cluster, watching }: Side, corrector: Corrector, resources: number, applications: number) {
  const manifests = Array.from({ length: applications }, (_, index) => manifestsOf(index, resources)).flat();
  const cpu = cpuSeconds(corrector.pid);
  const { total } = await driftTogether(cluster, watching, manifests.slice(0, drifting), 'all');
  return costOf(total, cpuSeconds(corrector.pid) - cpu);
}

function costOf(ms: number, cpu: number) {
  return { ms: rounded(ms), cpu: rounded(cpu, 3) };
}

/** MiB. */
async function memoryAtRest({ pid }: Corrector, ms: number): Promise<number> {
  await pause(ms);
  return rounded(memoryOf(pid).rss);
}

async function requestsOf(corrector: Corrector): Promise<Readonly<Record<string, number>>> {
  return (await corrector.scrape())?.requests ?? {};
}
