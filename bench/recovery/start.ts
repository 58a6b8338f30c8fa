import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { promisify } from 'node:util';
import { guardFolder } from '../../test/cluster/support/plane/process.ts';
import { startEmbeddedCluster } from '../support/embeddedCluster.ts';
import { memoryOf, monotonic } from '../support/processFigures.ts';
import { asInImage, startWeederProgram, weederProgram } from '../support/programs.ts';
import { podLabels, service } from '../support/scene.ts';
import { median, rounded } from '../support/statistics.ts';
import type { StartCase } from './startResults.ts';

const run = promisify(execFile);
const checkout = join(import.meta.dirname, '../..');
const sources = join(checkout, 'src', 'cli', 'weeder.ts');
const restMs = 2_000;
/** Lets a process report its peak memory at exit, in KiB. getrusage would include that of its parent. */
const reportPeak = `data:text/javascript,import{readFileSync,writeSync}from'node:fs';
process.on('exit',()=>writeSync(2,readFileSync('/proc/self/status','utf8')))`.replace('\n', '');

interface Figures {
  readonly ms: number;
  readonly rss: number;
}

/** Measures the cost of loading Node and packages, and weeder from sources and as the bundle. */
export async function measureStart(runs: number, log: (line: string) => void): Promise<StartCase[]> {
  const bundle = await weederProgram();
  const image = asInImage();
  const importing = (name: string): string[] => ['-e', `await import(${JSON.stringify(name)})`, '--input-type=module'];
  const subjects: readonly (readonly [what: string, measure: () => Promise<Figures>])[] = [
    ['Node.js alone', () => once(['-e', ''])],
    ['import undici', () => once(importing('undici'))],
    ['import @kubernetes/client-node', () => once(importing('@kubernetes/client-node'))],
    ['weeder --version, sources', () => once([sources, '--version'])],
    ['weeder --version, bundle', () => once([...image.flags, bundle, '--version'], image.env)],
    ['weeder run until synced, sources', () => synced(sources)],
    ['weeder run until synced, bundle', () => synced(bundle)],
  ];
  const results = new Map<string, Figures[]>();
  for (let round = 0; round < runs; round += 1) {
    for (const [what, measure] of subjects) results.set(what, [...(results.get(what) ?? []), await measure()]);
    log(`start, round ${round + 1} of ${runs}`);
  }
  return [...results].map(([what, figures]) => ({
    what,
    ms: rounded(median(figures.map(({ ms }) => ms))),
    rss: rounded(median(figures.map(({ rss }) => rss))),
  }));
}

async function once(words: readonly string[], env: NodeJS.ProcessEnv = {}): Promise<Figures> {
  const from = monotonic();
  const { stderr } = await run(process.execPath, [`--import=${reportPeak}`, ...words], {
    cwd: checkout,
    env: { ...process.env, ...env },
  });
  return { ms: monotonic() - from, rss: Number(/^VmHWM:\s+(\d+)/m.exec(stderr)?.[1]) / 1024 };
}

/** Starts weeder on an embedded server without pods, and measures its memory at rest. */
async function synced(program: string): Promise<Figures> {
  const dir = mkdtempSync(join(tmpdir(), 'weeder-start-'));
  const removeFolder = guardFolder(dir);
  const cluster = await startEmbeddedCluster();
  try {
    const podSelectors = [{ matchLabels: podLabels }];
    const config = { servicesAndDependantSelectors: { [service]: { podSelectors } } };
    const weeder = await startWeederProgram({ program, dir, kubeconfig: cluster.kubeconfig, config });
    await pause(restMs);
    const { rss } = memoryOf(weeder.pid);
    await weeder.kill();
    // After a failure the folder remains, because its guard needs the pid file to end the process.
    removeFolder();
    return { ms: weeder.startToSynced, rss };
  } finally {
    await cluster.stop();
  }
}
