import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { guardFolder } from '../../test/cluster/support/plane/process.ts';
import { startEmbeddedCluster } from '../support/embeddedCluster.ts';
import { scrape } from '../support/metricsOf.ts';
import { cpuSeconds, memoryOf } from '../support/processFigures.ts';
import { type Program, startWeederProgram, weederProgram } from '../support/programs.ts';
import { podLabels, service } from '../support/scene.ts';
import { rounded } from '../support/statistics.ts';
import type { ScaleCase } from './scaleResults.ts';

/** The number of measured changes of each kind. */
const events = 10_000;
const namespaces = 1_000;
const settleMs = 2_000;
/** With more than 16 distinct podSelectors, weeder reads all pods on one stream and selects them itself. */
const manySelectors = 17;

interface Kind {
  readonly what: ScaleCase['what'];
  readonly role: string;
  readonly selectors: number;
}

const kinds: readonly Kind[] = [
  { what: 'unrelated', role: 'monitoring', selectors: 1 },
  { what: 'unrelated, on one stream for all', role: 'monitoring', selectors: manySelectors },
  { what: 'matching', role: podLabels.role, selectors: 1 },
];

/** Measures weeder with these numbers of pods of each kind. */
export async function measureScale(counts: readonly number[], log: (line: string) => void): Promise<ScaleCase[]> {
  const cases: ScaleCase[] = [];
  for (const pods of counts) {
    for (const kind of kinds) {
      const found = await measureCase(pods, kind);
      log(`${pods} pods, ${kind.what}: synced in ${found.startToSynced} ms, ${found.idleRss} MiB at rest`);
      cases.push(found);
    }
  }
  return cases;
}

async function measureCase(pods: number, { what, role, selectors }: Kind): Promise<ScaleCase> {
  const dir = mkdtempSync(join(tmpdir(), 'weeder-scale-'));
  const removeFolder = guardFolder(dir);
  const cluster = await startEmbeddedCluster();
  try {
    await cluster.fill({ pods, namespaces, role });
    const others = Array.from({ length: selectors - 1 }, (_, index) => ({ matchLabels: { role: `other-${index}` } }));
    const podSelectors = [{ matchLabels: podLabels }, ...others];
    const config = { servicesAndDependantSelectors: { [service]: { podSelectors } } };
    const program = await weederProgram();
    const weeder = await startWeederProgram({ program, dir, kubeconfig: cluster.kubeconfig, config });
    const cpuToSynced = cpuSeconds(weeder.pid);
    await pause(settleMs);
    const idle = memoryOf(weeder.pid);
    const { bytes } = await scrape(weeder.metricsUrl);
    const changed = async (isCrashing: boolean): Promise<{ cpu: number; bytes: number }> => {
      const before = { cpu: cpuSeconds(weeder.pid), bytes: (await scrape(weeder.metricsUrl)).bytes['pods'] ?? 0 };
      await cluster.change({ events, isCrashing });
      await untilQuiet(weeder);
      const after = (await scrape(weeder.metricsUrl)).bytes['pods'] ?? 0;
      return { cpu: rounded(((cpuSeconds(weeder.pid) - before.cpu) * 1000) / events, 4), bytes: after - before.bytes };
    };
    const healthy = await changed(false);
    const crashing = await changed(true);
    const after = memoryOf(weeder.pid);
    await weeder.kill();
    // After a failure the folder remains, because its guard needs the pid file to end the process.
    removeFolder();
    return {
      pods,
      what,
      startToSynced: rounded(weeder.startToSynced),
      cpuToSynced: rounded(cpuToSynced, 3),
      bytesToSynced: bytes['pods'] ?? 0,
      idleRss: rounded(idle.rss),
      peakRss: rounded(after.peak),
      afterRss: rounded(after.rss),
      cpuPer1000Healthy: healthy.cpu,
      bytesPer1000Healthy: Math.round((healthy.bytes * 1000) / events),
      cpuPer1000Crashing: crashing.cpu,
      bytesPer1000Crashing: Math.round((crashing.bytes * 1000) / events),
    };
  } finally {
    await cluster.stop();
  }
}

/** Waits until the process is idle: less than a hundredth of a core over a quarter of a second. */
async function untilQuiet({ pid }: Program): Promise<void> {
  for (let before = cpuSeconds(pid); ; ) {
    await pause(250);
    const now = cpuSeconds(pid);
    if (now - before < 0.0025) return;
    before = now;
  }
}
