import { execFileSync } from 'node:child_process';

/** An error whose message is all that its reader needs. */
export class Problem extends Error {}

/** Runs a program and returns its output. Throws a Problem with `advice` if it is missing or fails. */
export function run(program: string, args: readonly string[], advice: string, cwd?: string): Buffer {
  try {
    return execFileSync(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 256 * 1024 ** 2 });
  } catch (error) {
    const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    throw new Problem(`${program} fails${stderr === '' ? '' : ` (${stderr.split('\n').at(-1)})`}: ${advice}`);
  }
}

/** Returns what `act` returns, and makes a Problem of what it throws. */
export function orProblem<T>(act: () => T, sentence = (message: string) => message): T {
  try {
    return act();
  } catch (error) {
    throw new Problem(sentence(error instanceof Error ? error.message : String(error)));
  }
}

/** Runs a script. It ends with exit code 1 if it fails, and prints of a Problem the message alone. */
export async function runScript(main: () => Promise<void>): Promise<void> {
  try {
    await main();
  } catch (error) {
    console.error(error instanceof Problem ? error.message : error);
    process.exitCode = 1;
  }
}
