/**
 * `npm run test:cluster`: starts one control plane, and runs the cluster tests with node's test runner.
 * Arguments: test files (default: all in `--folder`, whose default is this folder), `--test-name-pattern=…`,
 * `--kubernetes 1.33` for another version than the newest of `test/cluster/controlplane`, and `--without-watch-list` for
 * API servers that do not stream lists.
 */
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';
import { withoutWatchList } from '../support/api/watchList.ts';
import slowest from '../support/slowest.ts';
import { coordinatesVariable, writeCoordinates } from './support/plane/access.ts';
import { apiServerVersion, isEnabled } from './support/plane/apiServerVersion.ts';
import { findAssets } from './support/plane/assets.ts';
import { startControlPlane } from './support/plane/controlPlane.ts';
import { orderFiles } from './support/plane/fileOrder.ts';
import { SetupProblem } from './support/plane/process.ts';

const fileTimeout = 30 * 60_000;

interface Outcome {
  readonly ran: number;
  readonly success: boolean;
}

function readArguments() {
  try {
    return parseArgs({
      allowPositionals: true,
      options: {
        folder: { type: 'string', default: import.meta.dirname },
        kubernetes: { type: 'string' },
        'test-name-pattern': { type: 'string', multiple: true },
        'without-watch-list': { type: 'boolean', default: false },
      },
    });
  } catch (error) {
    throw new SetupProblem(error instanceof Error ? error.message : String(error));
  }
}

async function main(): Promise<number> {
  const { values, positionals } = readArguments();
  const files = positionals.length > 0 ? positionals : globSync(join(values.folder, '**/*.test.ts')).sort();
  if (files.length === 0) throw new SetupProblem(`There are no test files in ${values.folder}.`);
  if (values['without-watch-list']) process.env[withoutWatchList] = 'true';
  const assets = await findAssets(values.kubernetes);
  // The test processes, and each weeder that they start from its sources, inherit the path of the binaries and the cache
  // of compiled code.
  process.env['KUBEBUILDER_ASSETS'] = assets.folder;
  process.env['NODE_COMPILE_CACHE'] ??= join(import.meta.dirname, '..', '..', 'node_modules', '.cache', 'node');
  const started = performance.now();
  const controlPlane = await startControlPlane();
  // Before this point a signal ends the process immediately, and the guards of the folders clean up.
  const end = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end.abort());
  try {
    process.env[coordinatesVariable] = writeCoordinates(controlPlane);
    if (!(await isEnabled(controlPlane, 'WatchList'))) process.env[withoutWatchList] = 'true';
    const version = await apiServerVersion(controlPlane);
    const duration = ((performance.now() - started) / 1000).toFixed(1);
    console.log(`control plane ${version} at ${controlPlane.url}, ready in ${duration} s`);
    const outcome = await runTests(files, values['test-name-pattern'] ?? [], end.signal);
    if (outcome.ran === 0) throw new SetupProblem('No test ran: no name matches, or the files have no tests.');
    return outcome.success && !end.signal.aborted ? 0 : 1;
  } finally {
    await controlPlane.stop();
  }
}

async function runTests(files: string[], patterns: string[], signal: AbortSignal): Promise<Outcome> {
  let ran = 0;
  let success = false;
  // Two files more than cores, because tests mostly wait for the cluster.
  const concurrency = availableParallelism() + 2;
  const events = run({
    files: orderFiles(files),
    concurrency,
    timeout: fileTimeout,
    testNamePatterns: patterns,
    signal,
  });
  events.on('test:summary', (summary) => {
    if (summary.file === undefined) success = summary.success;
  });
  events.on('test:pass', (event) => {
    // A file without matching tests is reported as a passing test.
    if (event.details.type !== 'suite' && !event.skip && resolve(event.name) !== event.file) ran += 1;
  });
  events.on('test:fail', () => {
    ran += 1;
  });
  const reports = [events.compose(new spec()), events.compose(slowest)];
  for (const report of reports) report.pipe(process.stdout, { end: false });
  await Promise.all(reports.map((report) => finished(report)));
  return { ran, success };
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof SetupProblem ? error.message : error);
  process.exitCode = 1;
}
