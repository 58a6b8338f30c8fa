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

interface Kind extends Pick<ScaleCase, 'what' | 'many'> {
  readonly role: string;
  readonly config: object;
}

function kindsOf(many: number): readonly Kind[] {
  const apps = Array.from({ length: many }, (_, index) => `app-${index}`);
  const one = { podSelectors: [{ matchLabels: podLabels }] };
  const others = Array.from({ length: manySelectors - 1 }, (_, index) => ({ matchLabels: { role: `other-${index}` } }));
  const seventeen = { podSelectors: [...one.podSelectors, ...others] };
  const serviceEntry = (app: string) => [app, { podSelectors: [{ matchLabels: { ...podLabels, app } }] }] as const;
  const configured = (services: object) => ({ servicesAndDependantSelectors: services });
  const { role } = podLabels;
  return [
    { what: 'unrelated', role: 'monitoring', config: configured({ [service]: one }) },
    { what: 'unrelated, on one stream for all', role: 'monitoring', config: configured({ [service]: seventeen }) },
    { what: 'matching', role, config: configured({ [service]: one }) },
    { what: 'matching one of many', many, role, config: configured(Object.fromEntries(apps.map(serviceEntry))) },
    { what: 'declaring', many, role, config: { declaredDependencies: {} } },
  ];
}

interface ScaleOptions {
  /** Numbers of pods. */
  readonly counts: readonly number[];
  /** How many podSelectors, or declared services, are many. */
  readonly many: number;
  /** The kinds that are measured. Default: all. */
  readonly only: readonly string[] | undefined;
  readonly log: (line: string) => void;
}

/** Measures weeder with these numbers of pods of each kind. */
export async function measureScale({ counts, many, only, log }: ScaleOptions): Promise<ScaleCase[]> {
  const cases: ScaleCase[] = [];
  for (const pods of counts) {
    for (const kind of kindsOf(many).filter(({ what }) => only?.includes(what) ?? true)) {
      const scaleCase = await measureCase(pods, kind);
      log(`${pods} pods, ${kind.what}: synced in ${scaleCase.startToSynced} ms, ${scaleCase.idleRss} MiB at rest`);
      cases.push(scaleCase);
    }
  }
  return cases;
}

async function measureCase(pods: number, { what, many, role, config }: Kind): Promise<ScaleCase> {
  const dir = mkdtempSync(join(tmpdir(), 'weeder-scale-'));
  const removeFolder = guardFolder(dir);
  const cluster = await startEmbeddedCluster();
  try {
    await cluster.fill({ pods, namespaces, role, apps: many ?? 1, isDeclaring: what === 'declaring' });
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
      ...(many === undefined ? {} : { many }),
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
