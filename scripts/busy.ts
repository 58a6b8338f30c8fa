/**
 * `npm run busy -- [--times 5] [--processes 4] COMMAND ...`: runs a command several times beside processes that take all
 * the CPU they get, to find the tests that fail on a busy machine. Prints the failed tests of each run, and keeps the
 * outputs of the runs that failed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createWriteStream, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { finished } from 'node:stream/promises';
import { parseArgs } from 'node:util';
import { orProblem, Problem, runScript } from './problem.ts';

await runScript(async () => {
  const { times, processes, command } = readArguments();
  // They also end if this process is killed.
  const loop = `while (process.ppid === ${process.pid});`;
  const busy = Array.from({ length: processes }, () => spawn(process.execPath, ['-e', loop], { stdio: 'ignore' }));
  try {
    const failures = await repeat(times, command);
    console.log(`${command.join(' ')}: ${failures} of ${times} runs failed beside ${processes} busy processes`);
    process.exitCode = failures === 0 ? 0 : 1;
  } finally {
    for (const each of busy) each.kill('SIGKILL');
  }
});

function readArguments() {
  const number = (name: string, text: string): number => {
    if (!/^[1-9]\d*$/.test(text)) throw new Problem(`--${name} is a number from 1 on; found ${JSON.stringify(text)}.`);
    return Number(text);
  };
  const given = process.argv.slice(2);
  const start = given.findIndex(
    (word, index) => !word.startsWith('--') && !/^--(times|processes)$/.test(given[index - 1] ?? ''),
  );
  const command = start === -1 ? [] : given.slice(start);
  const options = { times: { type: 'string', default: '5' }, processes: { type: 'string', default: '4' } } as const;
  const { values } = orProblem(() => parseArgs({ args: given.slice(0, given.length - command.length), options }));
  if (command.length === 0) throw new Problem('There is no command: npm run busy -- npm test.');
  return { times: number('times', values.times), processes: number('processes', values.processes), command };
}

/** Returns the number of runs that failed. */
async function repeat(times: number, command: readonly string[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'weeder-busy-'));
  let failures = 0;
  for (let run = 1; run <= times; run += 1) {
    const path = join(folder, `${run}.log`);
    const started = performance.now();
    const code = await runOnce(command, path);
    const seconds = Math.round((performance.now() - started) / 1000);
    console.log(`run ${run}: ${code === 0 ? 'passed' : `exit code ${code}, see ${path}`} after ${seconds} s`);
    if (code === 0) rmSync(path);
    else console.log(failedTests(readFileSync(path, 'utf8')));
    failures += code === 0 ? 0 : 1;
  }
  if (failures === 0) rmSync(folder, { recursive: true });
  return failures;
}

async function runOnce([program = '', ...args]: readonly string[], path: string): Promise<number> {
  const output = createWriteStream(path);
  const child: ChildProcess = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  for (const stream of [child.stdout, child.stderr]) stream?.pipe(output, { end: false });
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  child.once('error', reject);
  child.once('close', (code) => resolve(code ?? 1));
  const code = await promise;
  output.end();
  await finished(output);
  return code;
}

/** The lines of node's test runner from its list of failed tests on. */
function failedTests(output: string): string {
  const start = output.lastIndexOf('✖ failing tests:');
  return start === -1 ? output.split('\n').slice(-20).join('\n') : output.slice(start, start + 10_000);
}
