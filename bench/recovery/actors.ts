import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ActorsCase } from './actorsResults.ts';

const run = promisify(execFile);

/** Measures so many services at once, each number in a process of its own. */
export async function measureActors(counts: readonly number[], say: (line: string) => void): Promise<ActorsCase[]> {
  const cases: ActorsCase[] = [];
  for (const services of counts) {
    const program = join(import.meta.dirname, 'actorsProcess.ts');
    const { stdout } = await run(process.execPath, ['--expose-gc', program, String(services)]);
    const found = ActorsCase.parse(JSON.parse(stdout));
    say(`${services} services: ${found.windows} windows opened in ${found.open} ms, stopped in ${found.stop} ms`);
    cases.push(found);
  }
  return cases;
}
