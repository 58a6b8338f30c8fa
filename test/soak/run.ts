/**
 * `npm run soak -- [--minutes N] [--seed S]`: runs weeder on a real control plane with random changes and random
 * faults, checked by an observer that shares no code with it. The exit code is 1 if an invariant is violated.
 */
import { parseArgs } from 'node:util';
import { SetupProblem } from '../cluster/support/plane/process.ts';
import { report } from './report.ts';
import { soak } from './soak.ts';

async function main(): Promise<number> {
  const { values } = parseArgs({ options: { minutes: { type: 'string', default: '2' }, seed: { type: 'string' } } });
  const minutes = numberOf('minutes', values.minutes);
  const seed = numberOf('seed', values.seed ?? process.env['SEED'] ?? String(Date.now() % 2 ** 31));
  const end = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, () => end.abort());
  console.log(`soak: ${minutes} min, seed ${seed}: repeat its changes with --minutes ${minutes} --seed ${seed}`);
  const started = Date.now();
  const log = (line: string) => console.log(`+${((Date.now() - started) / 1000).toFixed(1).padStart(6)} s  ${line}`);
  const result = await soak({ minutes, seed, log, signal: end.signal });
  const { lines, failed } = report(result);
  console.log(lines.join('\n'));
  return failed > 0 || end.signal.aborted ? 1 : 0;
}

function numberOf(name: string, text: string): number {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value) || value < 0) {
    throw new SetupProblem(`--${name} is ${JSON.stringify(text)}; expected a number, as in --${name} 2`);
  }
  return value;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error instanceof SetupProblem ? error.message : error);
  process.exitCode = 1;
}
