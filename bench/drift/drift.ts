import { setTimeout as pause } from 'node:timers/promises';
import type { Cluster } from '../../test/cluster/support/plane/access.ts';
import { startControlPlane } from '../../test/cluster/support/plane/controlPlane.ts';
import { difference } from '../support/metricsOf.ts';
import { cpuSeconds, memoryOf, monotonic } from '../support/processFigures.ts';
import { profileOf, selfTimes, topOf } from '../support/selfTimes.ts';
import { percentile, rounded } from '../support/statistics.ts';
import { type BenchManifest, collections, manifestsOf, type Round, resourcesEach } from './driftManifests.ts';
import { type Corrector, type StartCorrector, startBareObserver, startObserver } from './driftPrograms.ts';
import type { DriftCandidate, DriftCase, Drifts, Start } from './driftResults.ts';
import { type Corrected, createApplications, createNamespaces, driftSingly, driftTogether } from './driftScene.ts';
import { type DriftWatching, startDriftWatching } from './driftWatching.ts';

/** The time for Events, statuses and garbage collection to end. */
const settleMs = 5_000;
/**
 * Some seconds after the last request, V8 collects the garbage of a start once, with 0.3 s of CPU. The figures at rest
 * are measured after it, unless it is late.
 */
const beforeIdleMs = 15_000;
/** The default resync period is 30 s, so that a resync is part of the figures at rest. */
export const observerIdleMs = 30_000;
const singleDrifts = 200;
const warmUp = 40;

export interface DriftOptions {
  /** The numbers of applications, with five resources each. */
  readonly applications: readonly number[];
  readonly idleMs: number;
  /** For example only `bare`. */
  readonly only: readonly string[] | undefined;
  readonly profile: string | undefined;
  readonly log: (line: string) => void;
}

/** Measures the observer with each number of applications. */
export async function measureDrift({ applications: counts, ...options }: DriftOptions): Promise<DriftCase[]> {
  const cases: DriftCase[] = [];
  for (const applications of counts) {
    const isSelected = (name: string) => options.only === undefined || options.only.includes(name);
    const candidate = (name: string, start: StartCorrector) =>
      measureCandidate({ ...options, name, applications, start });
    cases.push({
      applications,
      resources: applications * resourcesEach,
      kinds: collections.length,
      idle: options.idleMs / 1000,
      ...(isSelected('weeder') ? { weeder: await candidate('weeder', startObserver) } : {}),
      ...(isSelected('bare') ? { bare: await candidate('bare', startBareObserver) } : {}),
    });
  }
  return cases;
}

interface CandidateOptions extends Omit<DriftOptions, 'applications'> {
  readonly name: string;
  readonly applications: number;
  readonly start: StartCorrector;
}

/** Each candidate has its own control plane without controllers, so that only it and the benchmark write. */
async function measureCandidate(options: CandidateOptions): Promise<DriftCandidate> {
  const cluster = await startControlPlane({ controllerManager: false });
  // A pending exit of a child process does not keep Node running.
  const keepAlive = setInterval(() => {}, 60_000);
  try {
    await createNamespaces(cluster, options.applications);
    if (options.name !== 'bare') await createApplications(cluster, options.applications);
    const watching = await startDriftWatching(cluster);
    const candidate = await measured(cluster, watching, options);
    watching.stop();
    return candidate;
  } finally {
    await cluster.stop();
    clearInterval(keepAlive);
  }
}

async function measured(
  cluster: Cluster,
  watching: DriftWatching,
  { name, applications, start, idleMs, profile, log }: CandidateOptions,
): Promise<DriftCandidate> {
  const phases: { readonly what: string; readonly pid: number; readonly from: number; readonly to: number }[] = [];
  const started = async (what: string): Promise<[Corrector, Start]> => {
    const from = monotonic();
    const corrector = await start({ cluster, applications, profile });
    const [cpu, to] = [cpuSeconds(corrector.pid), monotonic()];
    phases.push({ what: `${name}, ${what}`, pid: corrector.pid, from, to });
    await pause(settleMs);
    const { rss, peak } = memoryOf(corrector.pid);
    const requests = (await corrector.scrape())?.requests;
    const figures = {
      observed: rounded(corrector.observed),
      cpu: rounded(cpu, 3),
      rss: rounded(rss),
      peak: rounded(peak),
    };
    log(`${name}, ${what}: all observed after ${figures.observed} ms, ${figures.rss} MiB`);
    return [corrector, { ...figures, ...(requests === undefined ? {} : { requests }) }];
  };
  const [applying, first] = await started('first start');
  await applying.end();
  const [corrector, again] = await started('next start');
  await pause(beforeIdleMs);
  const restFrom = monotonic();
  const rest = await measureAtRest(corrector, idleMs);
  phases.push({ what: `${name}, at rest`, pid: corrector.pid, from: restFrom, to: monotonic() });
  log(`${name}, at rest: ${rest.idleCpu} % CPU, ${rest.idleRequests ?? '?'} requests a second`);
  const drift = async (what: string, act: () => Promise<Corrected>): Promise<Drifts> => {
    const [before, cpu, from] = [await corrector.scrape(), cpuSeconds(corrector.pid), monotonic()];
    const corrected = await act();
    phases.push({ what: `${name}, ${what}`, pid: corrector.pid, from, to: monotonic() });
    const used = cpuSeconds(corrector.pid) - cpu;
    await pause(settleMs);
    const after = await corrector.scrape();
    const requests = before && after && difference(after.requests, before.requests);
    const drifts = { ...driftsOf(corrected), cpu: rounded(used, 3), ...(requests === undefined ? {} : { requests }) };
    log(`${name}, ${what}: p50 ${drifts.p50} ms, p99 ${drifts.p99} ms, ${drifts.total} ms in total`);
    return drifts;
  };
  const together = (which: readonly BenchManifest[], round: Round) => () =>
    driftTogether(cluster, watching, which, round);
  const singly = spread(applications, Math.min(singleDrifts, applications));
  await driftSingly(cluster, watching, spread(applications, Math.min(warmUp, applications)), 'warm');
  const single = await drift('one at a time', () => driftSingly(cluster, watching, singly, 'single'));
  const many = await drift('one in each application', together(spread(applications, applications), 'many'));
  const everything = Array.from({ length: applications }, (_, index) => manifestsOf(index)).flat();
  const all = await drift('all at once', together(everything, 'all'));
  const { rss, peak } = memoryOf(corrector.pid);
  await corrector.end();
  if (profile !== undefined) {
    for (const { what, pid, from, to } of phases) {
      log(`${what}:\n${topOf(selfTimes(profileOf(profile, pid), from, to), 40)}`);
    }
  }
  return { first, again, ...rest, single, many, all, afterRss: rounded(rss), peakRss: rounded(peak) };
}

/** One resource of each of `count` applications, of all kinds in turn. */
function spread(applications: number, count: number): readonly BenchManifest[] {
  return Array.from({ length: count }, (_, index) => {
    const manifests = manifestsOf(Math.floor((index * applications) / count));
    const manifest = manifests[index % manifests.length];
    return manifest === undefined ? [] : [manifest];
  }).flat();
}

async function measureAtRest(corrector: Corrector, idleMs: number) {
  const [before, cpu, from] = [await corrector.scrape(), cpuSeconds(corrector.pid), monotonic()];
  await pause(idleMs);
  const seconds = (monotonic() - from) / 1000;
  const idleCpu = rounded((100 * (cpuSeconds(corrector.pid) - cpu)) / seconds, 3);
  const after = await corrector.scrape();
  if (before === undefined || after === undefined) return { idleCpu };
  const requests = Object.values(difference(after.requests, before.requests)).reduce((sum, each) => sum + each, 0);
  return { idleCpu, idleRequests: rounded(requests / seconds, 3), streams: after.streams };
}

function driftsOf({ times, total, edits }: Corrected): Omit<Drifts, 'cpu' | 'requests'> {
  const at = (p: number) => rounded(percentile(times, p));
  const [p50, p90, p99, max] = [at(50), at(90), at(99), at(100)];
  return { count: times.length, p50, p90, p99, max, total: rounded(total), edits: rounded(edits) };
}
