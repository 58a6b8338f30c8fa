import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster } from '../../test/cluster/support/plane/access.ts';
import type { Cores } from '../support/cores.ts';
import { difference, type Scrape, scrape } from '../support/metricsOf.ts';
import type { Observing } from '../support/observing.ts';
import { cpuSeconds, memoryOf, monotonic } from '../support/processFigures.ts';
import type { Scene } from '../support/scene.ts';
import { profileOf, selfTimes, topOf } from '../support/selfTimes.ts';
import { percentile, rounded } from '../support/statistics.ts';
import { type Candidate, type CandidateName, startCandidate } from './candidates.ts';
import type { RecoveryRound } from './recoveryResults.ts';

export interface CellOptions {
  readonly cluster: Cluster;
  readonly scene: Scene;
  readonly observing: Observing;
  readonly candidate: CandidateName;
  readonly cores: Cores;
  /** How often the services go down and recover while this process runs. */
  readonly recoveries: number;
  /** How long it is measured at rest. Milliseconds. */
  readonly idleMs: number;
  /** The folder for a CPU profile, whose top functions go to `log`. */
  readonly profile?: string | undefined;
  readonly log: (line: string) => void;
}

/** The garbage of the start is not part of the cost at rest. */
const settleMs = 1_000;
/** The time for log lines and Events after the last deletion. */
const afterMs = 2_000;
const deletionTimeoutMs = 30_000;

/** Measures one candidate in a new process, with several recoveries of all services. */
export async function measureCell(options: CellOptions): Promise<RecoveryRound> {
  const { cluster, scene, candidate: name, profile } = options;
  let pods = await scene.breakDown();
  const candidate = await startCandidate(name, cluster, { cores: options.cores, profile });
  const { pid, metricsUrl } = candidate;
  const scrapeIfWeeder = async (): Promise<Scrape | undefined> =>
    metricsUrl === undefined ? undefined : scrape(metricsUrl);
  await pause(settleMs);
  const idleFrom = { at: monotonic(), cpu: cpuSeconds(pid) };
  await pause(options.idleMs);
  const idleCpu = (cpuSeconds(pid) - idleFrom.cpu) / ((monotonic() - idleFrom.at) / 1000);
  const idle = memoryOf(pid);
  const before = await scrapeIfWeeder();

  const recoveriesFrom = monotonic();
  const latencies: number[] = [];
  let total = 0;
  let cpu = 0;
  for (let recovery = 1; recovery <= options.recoveries; recovery += 1) {
    if (recovery > 1) {
      pods = await scene.breakDown();
      await pause(settleMs / 4);
    }
    const one = await recoverOnce(options, pods, candidate);
    latencies.push(...one.latencies);
    total += one.total;
    cpu += one.cpu;
  }
  const recoveriesTo = monotonic();
  const cpuAtEnd = cpuSeconds(pid);
  await pause(afterMs);
  const after = memoryOf(pid);
  const cpuAfter = cpuSeconds(pid) - cpuAtEnd;
  const scraped = await scrapeIfWeeder();
  if (profile === undefined) await candidate.kill();
  else {
    await candidate.end();
    options.log(
      `${name} in its recoveries:\n${topOf(selfTimes(profileOf(profile, pid), recoveriesFrom, recoveriesTo), 40)}`,
    );
  }
  return {
    startToSynced: rounded(candidate.startToSynced),
    idleRss: rounded(idle.rss),
    idleCpu: rounded(100 * idleCpu, 3),
    deletions: latencies.length,
    p50: rounded(percentile(latencies, 50)),
    p90: rounded(percentile(latencies, 90)),
    p99: rounded(percentile(latencies, 99)),
    max: rounded(percentile(latencies, 100)),
    total: rounded(total / options.recoveries),
    cpu: rounded(cpu / options.recoveries, 4),
    cpuAfter: rounded(cpuAfter, 4),
    peakRss: rounded(after.peak),
    afterRss: rounded(after.rss),
    ...(before === undefined || scraped === undefined
      ? {}
      : {
          requests: difference(scraped.requests, before.requests),
          bytes: difference(scraped.bytes, before.bytes),
          streams: scraped.streams,
          loopDelay: { p99: rounded(scraped.loopDelay.p99), max: rounded(scraped.loopDelay.max) },
        }),
  };
}

interface Recovered {
  /** From each service becoming ready to the DELETED events of its pods. Milliseconds. */
  readonly latencies: readonly number[];
  /** From the first change of a service to the last DELETED event. Milliseconds. */
  readonly total: number;
  /** The CPU time of the candidate in that time. Seconds. */
  readonly cpu: number;
}

async function recoverOnce(
  { scene, observing }: CellOptions,
  pods: ReadonlyMap<string, string>,
  { pid, describe }: Candidate,
): Promise<Recovered> {
  const cpuBefore = cpuSeconds(pid);
  const uids = [...pods.keys()];
  const awaited = observing.untilDeleted(uids, deletionTimeoutMs);
  const readyAt = await scene.recover();
  const deletedAt = await awaited;
  const cpu = cpuSeconds(pid) - cpuBefore;
  if (deletedAt.size < uids.length) {
    const left = `${uids.length - deletedAt.size} of ${uids.length} pods`;
    throw new Error(`${left} were not deleted within ${deletionTimeoutMs / 1000} s; ${describe()}`);
  }
  const latencies = [...deletedAt].map(([uid, at]) => at - (readyAt.get(pods.get(uid) ?? '') ?? Number.NaN));
  return { latencies, total: Math.max(...deletedAt.values()) - Math.min(...readyAt.values()), cpu };
}
