/**
 * `npm run bench:kubelet`: seconds from "service ready" to "dependant Ready" on a real kubelet, with weeder and
 * without. Needs root, containerd, runc and CNI plugins; takes about four minutes, regardless of the number of runs.
 *
 *   --runs N        trials of each case, with weeder and without (default 3)
 *   --write         write the results to results.json and into the README
 *   --json FILE     write the results there
 *   --events DIR    write the watch events of the dependants and the EndpointSlices there, and the log of weeder
 */
import { execFile } from 'node:child_process';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism, getPriority, loadavg } from 'node:os';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { startControlPlane } from '../../test/cluster/support/plane/controlPlane.ts';
import { SetupProblem } from '../../test/cluster/support/plane/process.ts';
import { findNodeBinaries } from './binaries.ts';
import { measure, mostRuns } from './measure.ts';
import { checkMachine } from './requirements.ts';
import { type Results, recoveryTable, verdict } from './results.ts';

const committed = join(import.meta.dirname, 'results.json');
const log = (line: string): void => console.error(line);

async function main(): Promise<number> {
  const { runs, events, json, write } = readFlags();
  const { plugins, runtime } = await checkMachine();
  const binaries = await findNodeBinaries(log);
  if (events !== undefined) mkdirSync(events, { recursive: true });
  const end = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => end.abort(new SetupProblem(`Stopped by ${signal}.`)));
  }
  const cluster = await startControlPlane({ controllerManagerFlags: ['--controllers=node-lifecycle-controller'] });
  try {
    const outcomes = await measure({ cluster, binaries, plugins, runs, signal: end.signal, events, log });
    const results: Results = {
      measured: new Date().toISOString().slice(0, 10),
      kubelet: `kubelet ${binaries.version}`,
      runtime,
      machine: describeMachine(),
      weeder: 'in a pod from its image',
      runs,
      outcomes,
    };
    const { isMet, lines } = verdict(outcomes);
    console.log([recoveryTable(results), '', ...lines].join('\n'));
    const text = `${JSON.stringify(results, null, 2)}\n`;
    if (json !== undefined) writeFileSync(json, text);
    if (write) {
      writeFileSync(committed, text);
      // As `npm run generate` does: it writes the table into the README.
      const generate = ['--test', '--test-update-snapshots', 'test/project/generated.test.ts'];
      await promisify(execFile)(process.execPath, generate, { cwd: join(import.meta.dirname, '..', '..') });
    }
    return isMet ? 0 : 1;
  } finally {
    await cluster.stop();
  }
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
  readonly json?: string;
  readonly events?: string;
}

function readFlags(): Flags {
  const { runs, write = false, ...files } = parseFlags();
  const number = Number(runs ?? 3);
  if (!Number.isInteger(number) || number < 1 || number > mostRuns) {
    throw new SetupProblem(`--runs is a whole number from 1 to ${mostRuns}; found ${runs}.`);
  }
  return { runs: number, write, ...files };
}

function parseFlags() {
  try {
    const text = { type: 'string' } as const;
    return parseArgs({ options: { runs: text, write: { type: 'boolean' }, json: text, events: text } }).values;
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
