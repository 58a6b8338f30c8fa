import { execFileSync } from 'node:child_process';

/** An error whose message is all that its reader needs. */
export class ImageProblem extends Error {}

/** Runs a program and returns its output. Throws an ImageProblem with `advice` if it is missing or fails. */
export function run(program: string, args: readonly string[], advice: string, cwd?: string): Buffer {
  try {
    return execFileSync(program, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'], maxBuffer: 256 * 1024 ** 2 });
  } catch (error) {
    const stderr = error instanceof Error && 'stderr' in error ? String(error.stderr).trim() : '';
    throw new ImageProblem(`${program} fails${stderr === '' ? '' : ` (${stderr.split('\n').at(-1)})`}: ${advice}`);
  }
}
