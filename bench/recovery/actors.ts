import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ActorsCase } from './actorsResults.ts';

const run = promisify(execFile);

/** Measures each of these numbers of services in a separate process. */
export async function measureActors(counts: readonly number[], log: (line: string) => void): Promise<ActorsCase[]> {
  const cases: ActorsCase[] = [];
  for (const services of counts) {
    const program = join(import.meta.dirname, 'actorsProcess.ts');
    const { stdout } = await run(process.execPath, ['--expose-gc', program, String(services)]);
    const actorsCase = ActorsCase.parse(JSON.parse(stdout));
    log(
      `${services} services: ${actorsCase.windows} windows opened in ${actorsCase.open} ms, stopped in ${actorsCase.stop} ms`,
    );
    cases.push(actorsCase);
  }
  return cases;
}
