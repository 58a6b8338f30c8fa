import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster } from '../../test/cluster/support/plane/access.ts';
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
  /** How often the services go down and recover while this one process watches. */
  readonly recoveries: number;
  /** For how long its figures at rest are taken. Milliseconds. */
  readonly idleMs: number;
  /** Where a CPU profile is written; its top goes to `say`. */
  readonly profile?: string | undefined;
  readonly say: (line: string) => void;
}

/** The start's own garbage is not what a process at rest costs. */
const settleMs = 1_000;
/** What a process does after the last deletion: it answers, logs, and tidies up. */
const afterMs = 2_000;
const goneWithinMs = 30_000;

/** One candidate, started anew, through so many recoveries of all services at once. */
export async function measureCell(options: CellOptions): Promise<RecoveryRound> {
  const { cluster, scene, candidate: name, profile } = options;
  let pods = await scene.breakDown();
  const candidate = await startCandidate(name, cluster, profile);
  const { pid, metricsUrl } = candidate;
  const look = async (): Promise<Scrape | undefined> => (metricsUrl === undefined ? undefined : scrape(metricsUrl));
  await pause(settleMs);
  const idleFrom = { at: monotonic(), cpu: cpuSeconds(pid) };
  await pause(options.idleMs);
  const idleCpu = (cpuSeconds(pid) - idleFrom.cpu) / ((monotonic() - idleFrom.at) / 1000);
  const idle = memoryOf(pid);
  const before = await look();

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
  const seen = await look();
  if (profile === undefined) await candidate.kill();
  else {
    await candidate.end();
    options.say(
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
    ...(before === undefined || seen === undefined
      ? {}
      : {
          requests: difference(seen.requests, before.requests),
          bytes: difference(seen.bytes, before.bytes),
          streams: seen.streams,
          loopDelay: { p99: rounded(seen.loopDelay.p99), max: rounded(seen.loopDelay.max) },
        }),
  };
}

interface Recovered {
  /** From each flip to its pods' ends. Milliseconds. */
  readonly latencies: readonly number[];
  /** From the first flip to the last end. Milliseconds. */
  readonly total: number;
  /** Of the candidate, in the same time. Seconds. */
  readonly cpu: number;
}

async function recoverOnce(
  { scene, observing }: CellOptions,
  pods: ReadonlyMap<string, string>,
  { pid, story }: Candidate,
): Promise<Recovered> {
  const cpuBefore = cpuSeconds(pid);
  const uids = [...pods.keys()];
  const awaited = observing.untilGone(uids, goneWithinMs);
  const flips = await scene.recover();
  const gone = await awaited;
  const cpu = cpuSeconds(pid) - cpuBefore;
  if (gone.size < uids.length) {
    const left = `${uids.length - gone.size} of ${uids.length} pods`;
    throw new Error(`${left} are still there after ${goneWithinMs / 1000} s; ${story()}`);
  }
  const latencies = [...gone].map(([uid, at]) => at - (flips.get(pods.get(uid) ?? '') ?? Number.NaN));
  return { latencies, total: Math.max(...gone.values()) - Math.min(...flips.values()), cpu };
}
