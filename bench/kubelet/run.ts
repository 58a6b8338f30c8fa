/**
 * `npm run bench:kubelet`: seconds from "service ready" to "dependant Ready" on a real kubelet, with weeder and
 * without: on a node with the default back-off, and on one with a short maximum. Needs root, containerd, runc and CNI
 * plugins; takes about seven minutes, regardless of the number of runs.
 *
 *   --runs N        trials of each case, with weeder and without (default 3)
 *   --pulls         pods that wait for the image of a registry that is away, in place of crash-looping ones; ten minutes
 *   --write         write the results to results.json and into the docs
 *   --json FILE     write the results there
 *   --events DIR    write the watch events of the dependants and the EndpointSlices there, and the log of weeder, in a
 *                   folder for each node
 */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, getPriority, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { startControlPlane } from '../../test/cluster/support/plane/controlPlane.ts';
import { SetupProblem } from '../../test/cluster/support/plane/process.ts';
import { findNodeBinaries } from './binaries.ts';
import { longestBackOffs, type Outcome } from './cases.ts';
import { maxRuns, measure } from './measure.ts';
import { measurePulls } from './pulls/measurePulls.ts';
import { type PullResults, pullsTable } from './pulls/pullResults.ts';
import { checkMachine } from './requirements.ts';
import { kubeletReport, type Results, shortBackOffTable, verdict } from './results.ts';

const committed = join(import.meta.dirname, 'results.json');
const committedPulls = join(import.meta.dirname, 'pulls', 'results.json');
const log = (line: string): void => console.error(line);

async function main(): Promise<number> {
  const { runs, events, json, write, pulls } = readFlags();
  const { plugins, runtime } = await checkMachine('This benchmark');
  const binaries = await findNodeBinaries();
  const end = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => end.abort(new SetupProblem(`Stopped by ${signal}.`)));
  }

  function describe() {
    const measured = new Date().toISOString().slice(0, 10);
    return { measured, kubelet: `kubelet ${binaries.version}`, runtime, machine: describeMachine(), runs };
  }

  async function save(results: Results | PullResults, file: string): Promise<void> {
    const text = `${JSON.stringify(results, null, 2)}\n`;
    if (json !== undefined) writeFileSync(json, text);
    if (!write) return;
    writeFileSync(file, text);
    // As `npm run generate` does: it writes the tables into the docs.
    const generate = ['--test', '--test-update-snapshots', 'test/project/generated.test.ts'];
    await promisify(execFile)(process.execPath, generate, { cwd: join(import.meta.dirname, '..', '..') });
  }

  const controllerManagerFlags = ['--controllers=node-lifecycle-controller'];
  if (pulls) {
    const cluster = await startControlPlane({ controllerManagerFlags });
    const options = { cluster, binaries, plugins, runs, signal: end.signal, log };
    const outcomes = await measurePulls(options).finally(() => cluster.stop());
    const results: PullResults = { ...describe(), outcomes };
    console.log(pullsTable(outcomes));
    await save(results, committedPulls);
    return 0;
  }

  async function outcomesOn(longestBackOff: number): Promise<Outcome[]> {
    const folder = events === undefined ? undefined : join(events, `back-off-${longestBackOff}s`);
    if (folder !== undefined) mkdirSync(folder, { recursive: true });
    // The second node has its own cluster, because the pods of the first one remain.
    const cluster = await startControlPlane({ controllerManagerFlags });
    const options = { cluster, binaries, plugins, longestBackOff, runs, signal: end.signal, events: folder, log };
    return measure(options).finally(() => cluster.stop());
  }

  const outcomes = [...(await outcomesOn(longestBackOffs.default)), ...(await outcomesOn(longestBackOffs.short))];
  const results: Results = { ...describe(), weeder: 'in a pod from its image', outcomes };
  const { isMet, lines } = verdict(outcomes);
  console.log([kubeletReport(results), '', shortBackOffTable(results), '', ...lines].join('\n'));
  await save(results, committed);
  return isMet ? 0 : 1;
}

/** The number of cores, the load average and the priority of the benchmark. */
function describeMachine(): string {
  const load = `load average ${(loadavg()[1] ?? 0).toFixed(1)}`;
  const nice = getPriority() === 0 ? '' : `, nice ${getPriority()}`;
  return `${availableParallelism()} cores for everything (${load}${nice})`;
}

interface Flags {
  readonly runs: number;
  readonly write: boolean;
  readonly pulls: boolean;
  readonly json?: string;
  readonly events?: string;
}

function readFlags(): Flags {
  const { runs, write = false, pulls = false, ...files } = parseFlags();
  const number = Number(runs ?? 3);
  if (!Number.isInteger(number) || number < 1 || number > maxRuns) {
    throw new SetupProblem(`--runs is a whole number from 1 to ${maxRuns}; found ${runs}.`);
  }
  return { runs: number, write, pulls, ...files };
}

function parseFlags() {
  try {
    const text = { type: 'string' } as const;
    const flag = { type: 'boolean' } as const;
    return parseArgs({ options: { runs: text, write: flag, pulls: flag, json: text, events: text } }).values;
  } catch (error) {
    throw new SetupProblem(error instanceof Error ? error.message : String(error));
  }
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof SetupProblem ? error.message : error);
  process.exitCode = 1;
}
