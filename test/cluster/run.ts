/**
 * `npm run test:cluster`: one control plane for all cluster tests, and node's own test runner over them.
 * Arguments: test files (default all of `--folder`, which is this one unless given), `--test-name-pattern=…`, and
 * `--without-watch-list` for API servers that do not stream lists, as those before 1.32.
 */
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join, resolve } from 'node:path';
import { finished } from 'node:stream/promises';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { parseArgs } from 'node:util';
import { withoutWatchList } from '../support/api/watchList.ts';
import { coordinatesVariable, writeCoordinates } from './support/plane/access.ts';
import { findAssets } from './support/plane/assets.ts';
import { startControlPlane } from './support/plane/controlPlane.ts';
import { orderFiles } from './support/plane/fileOrder.ts';
import { SetupProblem } from './support/plane/process.ts';

const fileTimeout = 30 * 60_000;

interface Outcome {
  readonly ran: number;
  readonly success: boolean;
}

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      folder: { type: 'string', default: import.meta.dirname },
      'test-name-pattern': { type: 'string', multiple: true },
      'without-watch-list': { type: 'boolean', default: false },
    },
  });
  const files = positionals.length > 0 ? positionals : globSync(join(values.folder, '**/*.test.ts')).sort();
  if (files.length === 0) throw new SetupProblem(`There are no test files in ${values.folder}.`);
  if (values['without-watch-list']) process.env[withoutWatchList] = 'true';
  const assets = await findAssets();
  // The test processes use these binaries, and this control plane.
  process.env['KUBEBUILDER_ASSETS'] = assets.folder;
  const started = performance.now();
  const controlPlane = await startControlPlane();
  // Only from here on: until now the default, to exit at once, is right, and the guards of the folders clean up.
  const end = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end.abort());
  try {
    process.env[coordinatesVariable] = writeCoordinates(controlPlane);
    console.log(
      `control plane at ${controlPlane.url}, ready in ${((performance.now() - started) / 1000).toFixed(1)} s`,
    );
    const outcome = await runTests(files, values['test-name-pattern'] ?? [], end.signal);
    if (outcome.ran === 0) throw new SetupProblem('No test ran: no name matches, or the files hold no tests.');
    return outcome.success && !end.signal.aborted ? 0 : 1;
  } finally {
    await controlPlane.stop();
  }
}

async function runTests(files: string[], patterns: string[], signal: AbortSignal): Promise<Outcome> {
  let ran = 0;
  let success = false;
  // Tests mostly wait for the cluster: one file more than there are cores keeps these busy.
  const concurrency = availableParallelism() + 1;
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
    // A file in which nothing ran is itself reported as a passing test.
    if (event.details.type !== 'suite' && !event.skip && resolve(event.name) !== event.file) ran += 1;
  });
  events.on('test:fail', () => {
    ran += 1;
  });
  const report = events.compose(new spec());
  report.pipe(process.stdout, { end: false });
  await finished(report);
  return { ran, success };
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof SetupProblem ? error.message : error);
  process.exitCode = 1;
}
